/* Objects, errors and texts of the library in R. */
#include "ldp_r.h"

#include <string.h>
#include <unistd.h>

struct held_object {
    void *object;
    void (*release)(void *);
    pid_t process; /* the process that may use it; 0: every process */
};

static int is_ours(const struct held_object *one) {
    return one->process == 0 || one->process == getpid();
}

static void release_held(SEXP pointer) {
    struct held_object *one = (struct held_object *)R_ExternalPtrAddr(pointer);
    if (one == NULL) return;
    R_ClearExternalPtr(pointer);
    /* A forked child would release the locks of its parent. */
    if (is_ours(one)) one->release(one->object);
    R_Free(one);
}

SEXP held(const char *kind, void *object, void (*release)(void *), SEXP keep) {
    struct held_object *one = R_Calloc(1, struct held_object);
    SEXP pointer;
    one->object = object;
    one->release = release;
    one->process = strcmp(kind, "collection") == 0 ? 0 : getpid(); /* a collection is immutable */
    pointer = PROTECT(R_MakeExternalPtr(one, Rf_install(kind), keep));
    R_RegisterCFinalizerEx(pointer, release_held, TRUE);
    UNPROTECT(1);
    return pointer;
}

void *object_of(SEXP pointer, const char *kind) {
    struct held_object *one;
    if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(kind)) Rf_error("this is no %s", kind);
    one = (struct held_object *)R_ExternalPtrAddr(pointer);
    if (one == NULL || !is_ours(one)) Rf_error("the %s is closed", kind);
    return one->object;
}

/* "" if the object can be used, "closed", or "process" if another process made it. */
SEXP r_usable(SEXP pointer) {
    const struct held_object *one = (const struct held_object *)R_ExternalPtrAddr(pointer);
    return Rf_mkString(one == NULL ? "closed" : is_ours(one) ? "" : "process");
}

SEXP r_release(SEXP pointer) {
    release_held(pointer);
    return R_NilValue;
}

SEXP text_of(const char *text) {
    return text == NULL ? R_NilValue : Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

SEXP text_taken(char *text) {
    SEXP made = text_of(text);
    ldp_free(text);
    return made;
}

SEXP bytes_taken(uint8_t *bytes, size_t size) {
    SEXP made = Rf_allocVector(RAWSXP, (R_xlen_t)size);
    if (size > 0) memcpy(RAW(made), bytes, size);
    ldp_free(bytes);
    return made;
}

const char *text_in(SEXP text) {
    if (TYPEOF(text) != STRSXP || XLENGTH(text) != 1 || STRING_ELT(text, 0) == NA_STRING) return NULL;
    return CHAR(STRING_ELT(text, 0));
}

SEXP named_list(const char *const *names) {
    R_xlen_t count = 0, i;
    SEXP list, of;
    while (names[count] != NULL) ++count;
    list = PROTECT(Rf_allocVector(VECSXP, count));
    of = PROTECT(Rf_allocVector(STRSXP, count));
    for (i = 0; i < count; ++i) SET_STRING_ELT(of, i, Rf_mkChar(names[i]));
    Rf_setAttrib(list, R_NamesSymbol, of);
    UNPROTECT(2);
    return list;
}

SEXP failure(ldp_error *error, double record) {
    static const char *const names[] = {"status", "message", "detail", "hint", "record", NULL};
    SEXP list = PROTECT(named_list(names));
    SET_VECTOR_ELT(list, 0, Rf_ScalarInteger((int)ldp_error_code(error)));
    SET_VECTOR_ELT(list, 1, text_of(ldp_error_message(error)));
    SET_VECTOR_ELT(list, 2, text_of(ldp_error_detail(error)));
    SET_VECTOR_ELT(list, 3, text_of(ldp_error_hint(error)));
    SET_VECTOR_ELT(list, 4, record < 0 ? R_NilValue : Rf_ScalarReal(record));
    Rf_setAttrib(list, R_ClassSymbol, Rf_mkString("ldp_failure"));
    ldp_error_free(error);
    UNPROTECT(1);
    return list;
}

SEXP r_version(void) {
    return text_of(ldp_version());
}
