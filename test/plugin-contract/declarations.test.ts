import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const snapshot = join(import.meta.dirname, 'tocsin-plugin.d.ts.snapshot')

/** The declarations of `tocsin/plugin` for plugin authors, file by file. */
function emitDeclarations(): string {
  const out = mkdtempSync(join(tmpdir(), 'declarations-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--outDir', out, '--tsBuildInfoFile', join(out, 'info')]
    execFileSync(process.execPath, [tsc, '-p', join(root, 'core/plugin'), ...options])
    const folder = join(out, 'core/plugin')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return files
      .filter((file) => file.endsWith('.d.ts'))
      .toSorted()
      .map((file) => `// ${file}\n${readFileSync(join(folder, file), 'utf8')}`)
      .join('\n')
  } finally {
    rmSync(out, { recursive: true })
  }
}

describe('the public contract', () => {
  // After an intended change: `UPDATE_SNAPSHOT=1 mocha test/plugin-contract/declarations.test.ts`, and a line
  // in CHANGELOG.md.
  it('is unchanged, because external plugins depend on it', () => {
    const declarations = emitDeclarations()
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(snapshot, declarations)
    expect(declarations).to.equal(readFileSync(snapshot, 'utf8'))
    expect(declarations).to.include('defineSkill').and.include('interface HttpClient')
  }).timeout(60_000)

  it('imports nothing from the rest of the project', () => {
    const folder = join(root, 'core/plugin')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('testing/'),
    )
    const imported = files.flatMap((file) =>
      Array.from(readFileSync(join(folder, file), 'utf8').matchAll(/from '([^']+)'/g), ([, path = '']) =>
        path.startsWith('.') ? relative(folder, join(folder, dirname(file), path)) : path,
      ),
    )
    expect(imported.length).to.be.above(10)
    for (const path of imported) expect(path).to.match(/^([a-z-]+(\/[a-z-]+)?\.ts|node:crypto|node:stream)$/)
  })
})
