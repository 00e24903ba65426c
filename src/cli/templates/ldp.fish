{{#commands}}
complete -c ldp -n '__fish_use_subcommand' -f -a {{name}} -d '{{purpose}}'
complete -c ldp -n '__fish_seen_subcommand_from help' -f -a {{name}} -d '{{purpose}}'
complete -c ldp -n '__fish_seen_subcommand_from {{name}}' -l help -d 'describe the command'
{{#options}}
complete -c ldp -n '__fish_seen_subcommand_from {{command}}' -l {{name}}{{#takes}} -r{{/takes}} -d '{{description}}'
{{/options}}
{{/commands}}
