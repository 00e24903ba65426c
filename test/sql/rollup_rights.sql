-- Privileges on rollups: policies on the reports, enabled before or after the creation of a rollup; grant options.
\ir setup.sql
CREATE SCHEMA rollup_rights;
SET search_path = rollup_rights, public;
CREATE ROLE regress_ldp_owner IN ROLE ldp_admin;
CREATE ROLE regress_ldp_acme IN ROLE ldp_analyst;
CREATE ROLE regress_ldp_auditor IN ROLE ldp_analyst BYPASSRLS;
CREATE ROLE regress_ldp_some;
GRANT USAGE ON SCHEMA rollup_rights TO PUBLIC;
GRANT CREATE ON SCHEMA rollup_rights TO regress_ldp_owner;
\set spec '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'''
CREATE FUNCTION report(value bigint) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'), 'hex') || '0' || value % 3)::ldp_report $$;
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('tenants', :spec, ARRAY[['tenant', 'text'], ['secret', 'text']]);
INSERT INTO tenants (report, tenant) SELECT report(i), CASE WHEN i <= 30 THEN 'regress_ldp_acme' ELSE 'rival' END FROM generate_series(1, 70) AS i;
SELECT ldp_create_rollup('by_tenant', 'tenants', '{tenant}'), ldp_create_rollup('by_secret', 'tenants', '{secret}');
SELECT ldp_refresh('by_tenant'), ldp_refresh('by_secret');
REVOKE SELECT (secret) ON tenants FROM ldp_analyst;
-- Analysts with access to the reports read the rollup through functions; its table belongs to the owner.
SET ROLE regress_ldp_acme;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
SELECT * FROM by_tenant;
SELECT * FROM ldp_estimate(ldp_groups_of('by_secret'));
SET ROLE regress_ldp_some;
SELECT * FROM ldp_estimate(ldp_groups_of('by_tenant'));
SET ROLE regress_ldp_owner;
GRANT SELECT ON by_tenant TO regress_ldp_some;
SET ROLE regress_ldp_some;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
-- Enabled after the rollup was created.
SET ROLE regress_ldp_owner;
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON tenants FOR SELECT TO ldp_analyst USING (tenant = current_user);
SET ROLE regress_ldp_acme;
SELECT group_key, label, n FROM ldp_estimate(ldp_groups_of('by_tenant'));
SELECT ldp_groups_of('by_tenant', by => '{}');
SELECT * FROM ldp_missing_values('by_tenant');
SELECT * FROM ldp_estimate('tenants', by => '{}');
SELECT * FROM by_tenant;
SELECT label, n FROM ldp_estimate('tenants') WHERE label = 'red';
SELECT ldp_count(ldp_summary_of('tenants')), (SELECT count(*) FROM unnest(ldp_groups_of('tenants', '{tenant}'))) AS groups;
SET ROLE regress_ldp_some;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
SET ROLE regress_ldp_auditor;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
SET ROLE regress_ldp_owner;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY;
-- Enabled before.
SELECT ldp_create_rollup('later', 'tenants', '{tenant}'), ldp_refresh('later');
SET ROLE regress_ldp_acme;
SELECT * FROM ldp_estimate(ldp_groups_of('later'));
SELECT * FROM later;
-- With policies of its own.
SET ROLE regress_ldp_owner;
ALTER TABLE by_tenant ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON by_tenant FOR SELECT TO ldp_analyst USING (tenant = current_user);
GRANT SELECT ON by_tenant TO ldp_analyst;
SET ROLE regress_ldp_acme;
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('by_tenant')) WHERE label = 'red';
RESET ROLE;

-- Grant options ---------------------------------------------------------------------------------------------
CREATE ROLE regress_ldp_middle;
CREATE ROLE regress_ldp_end;
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('passed', :spec, ARRAY[['country', 'text']]);
GRANT INSERT ON passed TO regress_ldp_middle WITH GRANT OPTION;
SET ROLE regress_ldp_middle;
GRANT INSERT ON passed TO regress_ldp_end WITH GRANT OPTION;
SET ROLE regress_ldp_end;
GRANT INSERT ON passed TO regress_ldp_some, PUBLIC;
SET ROLE regress_ldp_owner;
SELECT ldp_create_rollup('of_passed', 'passed', '{country}');
SELECT grantor::regrole, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee, is_grantable, count(*) AS columns
FROM pg_attribute, aclexplode(attacl) WHERE attrelid = 'passed'::regclass AND privilege_type = 'INSERT' GROUP BY 1, 2, 3 ORDER BY 1, 2;
SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE oid = 'passed'::regclass AND privilege_type = 'INSERT' AND grantee <> relowner;
SET ROLE regress_ldp_some;
INSERT INTO passed (report, country) VALUES (report(1), 'de');
INSERT INTO passed (report, ldp_arrival) VALUES (report(1), 0);
SET ROLE regress_ldp_owner;
SELECT ldp_refresh('of_passed');
-- A revoked grant option revokes its grants.
REVOKE INSERT (report, round, country) ON passed FROM regress_ldp_middle CASCADE;
SELECT DISTINCT grantee::regrole FROM pg_attribute, aclexplode(attacl) WHERE attrelid = 'passed'::regclass AND privilege_type = 'INSERT';
SELECT count(ldp_drop_collection(name)) FROM unnest('{tenants,passed}'::text[]) AS name;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA rollup_rights CASCADE;
DROP ROLE regress_ldp_owner, regress_ldp_acme, regress_ldp_auditor, regress_ldp_some, regress_ldp_middle, regress_ldp_end;
