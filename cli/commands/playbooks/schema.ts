import { Command } from 'commander'
import { editorSchema } from '../../../core/editor/editor-schema.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { writeOutput } from '../../output/write-output.ts'
import { playbookSchema } from '../../../core/playbook/language/playbook-schema.ts'

export function schemaCommand(): Command {
  return new Command('schema')
    .description('write the JSON Schema of playbooks for editors, with the installed skills')
    .option('-o, --output <file>', 'file to write; default: standard output')
    .addHelpText(
      'after',
      `
Editors with yaml-language-server then complete and check keys, skills and inputs. Write it again when plugins change.
docs/editors.md has the settings; \`tocsin lsp\` also understands expressions.

Examples:
  tocsin schema -o .tocsin/playbook.schema.json       and, at the top of a playbook:
  # yaml-language-server: $schema=../.tocsin/playbook.schema.json`,
    )
    .action(async (options: { output?: string }) => {
      const schema = editorSchema(playbookSchema, await installedCatalogue())
      const text = `${JSON.stringify(schema, null, 2)}\n`
      if (options.output === undefined) process.stdout.write(text)
      else await writeOutput(options.output, text)
    })
}
