import { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { installedCatalogue } from '../../installed-catalogue.ts'
import { readTestsSchema } from '../../../core/editor/tests/inspect-tests.ts'
import { playbookSchema } from '../../../core/playbook/language/playbook-schema.ts'

export function lspCommand(): Command {
  return new Command('lsp')
    .description('language server for playbooks and plugins (LSP on standard input and output)')
    .option('--stdio', 'accepted because many editors add it; no other transport exists')
    .addHelpText(
      'after',
      `
Problems with quick fixes while you type; completion of keys, skills, inputs, expressions, mocks and answers; hover; definitions,
references and renames of steps and playbooks, also in tests and callers; formatting. docs/editors.md has the settings for VS Code
and Neovim.`,
    )
    .action(async () => {
      const { serveLanguage } = await import('../../lsp/server.ts')
      // Standard output carries the protocol; output of plugins goes to standard error.
      for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
      const catalogue = installedCatalogue().catch((error: unknown) => {
        process.stderr.write(`cannot load the skills: ${String(error)}\n`)
        return undefined
      })
      const testsSchema = await readTestsSchema()
      serveLanguage({ version: packageJson.version, schema: playbookSchema, testsSchema, catalogue })
      await new Promise<never>(() => undefined)
    })
}
