import { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { installedCatalogue } from '../../installed-catalogue.ts'
import { readPlaybookSchema, readTestsSchema } from '../../../core/editor/playbook-schema.ts'

/** `tocsin lsp`: the language server, for editors. */
export function lspCommand(): Command {
  return new Command('lsp')
    .description(
      'help editors with playbooks: speak the Language Server Protocol on standard input and output',
    )
    .option('--stdio', 'accepted, since many editors add it; there is no other way')
    .addHelpText(
      'after',
      `
Shows problems of playbooks and their tests while you type, and fixes those with an obvious fix; completes keys, skills, inputs,
expressions, mocks and answers; explains what is under the cursor; goes to, lists and renames steps and playbooks, in tests and
callers too; formats. docs/editors.md has the settings of VS Code and Neovim.`,
    )
    .action(async () => {
      const { serveLanguage } = await import('../../lsp/server.ts')
      // Standard output is the protocol's: whatever a plugin prints while it is loaded goes elsewhere.
      for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
      const catalogue = installedCatalogue().catch((error: unknown) => {
        process.stderr.write(`skills are not known: ${String(error)}\n`)
        return undefined
      })
      const [schema, testsSchema] = await Promise.all([readPlaybookSchema(), readTestsSchema()])
      serveLanguage({ version: packageJson.version, schema, testsSchema, catalogue })
      await new Promise<never>(() => undefined)
    })
}
