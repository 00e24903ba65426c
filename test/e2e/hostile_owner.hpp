// A malicious administrator with a collection of his own, whose trigger a test defines.
#pragma once

#include "endpoint.hpp"

namespace ldp::e2e {

/// A hostile collection "snare" with a trigger that a test defines, and an honest one "colour".
struct Hostile : Server {
    Hostile() {
        const std::string role = "ldp_e2e_hostile_" + std::to_string(getpid());
        sql("DO $$ BEGIN CREATE ROLE " + role +
            " IN ROLE ldp_admin; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        sql("CREATE SCHEMA IF NOT EXISTS hostile AUTHORIZATION " + role);
        sql("GRANT USAGE ON SCHEMA hostile TO PUBLIC");
        sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = 'snare'");
        sql("SET ROLE " + role);
        sql("SELECT ldp_create_collection('snare', '" + std::string(plain) + "', schema => 'hostile')");
        sql("RESET ROLE");
        owner = role;
        snare.emplace(fetch_spec(connection, "snare"));
        colour.emplace(create("colour", plain));
    }
    ~Hostile() {
        try {
            sql("SELECT ldp_drop_collection('snare')");
            sql("DROP SCHEMA hostile CASCADE");
            sql("DROP OWNED BY " + owner);
            sql("DROP ROLE " + owner);
        } catch (const std::exception& error) {
            std::cerr << error.what() << "\n";
        }
    }
    void trap(const std::string& body, const std::string& when = "AFTER INSERT ON hostile.snare") {
        sql("SET ROLE " + owner);
        sql("CREATE OR REPLACE FUNCTION hostile.trap() RETURNS trigger LANGUAGE plpgsql AS $trap$ BEGIN " +
            body + " RETURN NULL; END $trap$");
        sql("DROP TRIGGER IF EXISTS trap ON hostile.snare");
        const bool deferred = when.starts_with("CONSTRAINT ");
        sql(std::string("CREATE ") + (deferred ? "CONSTRAINT " : "") + "TRIGGER trap " +
            (deferred ? when.substr(11) : when) + " FOR EACH ROW EXECUTE FUNCTION hostile.trap()");
        sql("RESET ROLE");
    }
    std::int64_t stored(const std::string& table = "colour") {
        return number("SELECT count(*) FROM " + table);
    }

    std::string owner;
    std::optional<Collection> snare, colour;
};

}  // namespace ldp::e2e
