import { Command } from 'commander'
import { editorSchema } from '../../../core/editor/editor-schema.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { writeOutput } from '../../output/write-output.ts'
import { readPlaybookSchema } from '../../../core/editor/playbook-schema.ts'

/** `tocsin schema`: what editors need to know. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('write the JSON Schema of playbooks for editors, with the skills that are installed here')
    .option('-o, --output <file>', 'where to write it; standard output when left out')
    .addHelpText(
      'after',
      `
An editor with yaml-language-server then completes and checks keys, skills and their inputs. Write it again when plugins change.
docs/editors.md has the settings; \`tocsin lsp\` also understands expressions.

Examples:
  tocsin schema -o .tocsin/playbook.schema.json       and, at the top of a playbook:
  # yaml-language-server: $schema=../.tocsin/playbook.schema.json`,
    )
    .action(async (options: { output?: string }) => {
      const schema = editorSchema(await readPlaybookSchema(), await installedCatalogue())
      const text = `${JSON.stringify(schema, null, 2)}\n`
      if (options.output === undefined) process.stdout.write(text)
      else await writeOutput(options.output, text)
    })
}
