# ldp_embed(VARIABLE FILE...): the C++ file that tools/embed makes of the files, in the build's folder. It is made again when a
# file changes.
function(ldp_embed variable)
    set(made "${CMAKE_CURRENT_BINARY_DIR}/cli/templates.cpp")
    add_custom_command(OUTPUT "${made}"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/cli"
        COMMAND "${PROJECT_SOURCE_DIR}/tools/embed" ${ARGN} > "${made}"
        DEPENDS "${PROJECT_SOURCE_DIR}/tools/embed" ${ARGN}
        COMMENT "Embedding src/cli/templates" VERBATIM)
    set(${variable} "${made}" PARENT_SCOPE)
endfunction()
