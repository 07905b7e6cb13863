import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSources } from './house-rules.ts'

const root = join(import.meta.dirname, '../..')

/** Static imports of values, with the modules that they name. */
const valueImports = /^(?:import|export)\s(?!type\b)(?:[^'"`;]*?from\s+)?'([^']+)'/gm

/** What only some servers use: the start of the others does not read its files. */
const onDemand = [
  'pg',
  '@simplewebauthn/server',
  'imapflow',
  'nodemailer',
  'postal-mime',
  '@rgrove/parse-xml',
]

/** The parts of `server/postgres` that do not load its client. */
const withoutClient = ['server/postgres/driver/address.ts']

function* loadedAtOnce(files: readonly { readonly path: string; readonly text: string }[]) {
  for (const { path, text } of files) {
    if (/^(test|server\/postgres)\//.test(path)) continue
    for (const [, name = ''] of text.matchAll(valueImports)) {
      const target = name.startsWith('.') ? join(path, '..', name) : name
      const isOfPostgres = target.startsWith('server/postgres/') && !withoutClient.includes(target)
      if (isOfPostgres || onDemand.includes(target)) yield `${path} imports ${name}`
    }
  }
}

describe('what only some servers use', () => {
  it('is loaded by those who use it: nothing else imports it, but with import()', () => {
    const files = readSources(root).files.map(({ path }) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
    }))
    expect(files.some(({ path }) => path.startsWith('server/postgres/driver/'))).to.equal(true)
    expect([...loadedAtOnce(files)]).to.deep.equal([])
  })

  it('PostgreSQL is not loaded by the part that reads addresses', () => {
    for (const path of withoutClient) {
      const names = Array.from(
        readFileSync(join(root, path), 'utf8').matchAll(valueImports),
        ([, name]) => name,
      )
      expect(names).to.deep.equal(['node:fs', '../../../core/plugin/index.ts'])
    }
  })

  it('would be found in static imports', () => {
    const planted = [
      "import { openPostgres } from '../postgres/open-postgres.ts'",
      "import type { OpenPostgres } from '../postgres/open-postgres.ts'",
      "const { openPostgres } = await import('../postgres/open-postgres.ts')",
      "import pg from 'pg'",
      "import {\n  verifyRegistrationResponse,\n} from '@simplewebauthn/server'",
      "import { parsePostgresAddress } from '../postgres/driver/address.ts'",
      "export {\n  a,\n} from '../postgres/migrate.ts'",
    ]
    const found = loadedAtOnce(planted.map((text) => ({ path: 'server/store/planted.ts', text })))
    expect([...found]).to.deep.equal([
      'server/store/planted.ts imports ../postgres/open-postgres.ts',
      'server/store/planted.ts imports pg',
      'server/store/planted.ts imports @simplewebauthn/server',
      'server/store/planted.ts imports ../postgres/migrate.ts',
    ])
  })
})
