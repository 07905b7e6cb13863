import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { endpointSecurity } from './endpoint-security.ts'
import { intelProvider } from './intel-provider.ts'
import { messaging } from './messaging.ts'
import { lostFrom, withUnknownFields, type Rows } from './row.ts'
import { threatPlatform } from './threat-platform.ts'
import { travel } from './travel.ts'

const plugins: Readonly<Record<string, Rows>> = {
  'endpoint-security': endpointSecurity,
  'intel-provider': intelProvider,
  messaging,
  'threat-platform': threatPlatform,
  travel,
}

const folderOf = (plugin: string) => join(import.meta.dirname, '../../plugins', plugin, 'fixtures')

describe('recorded responses', () => {
  for (const [plugin, rows] of Object.entries(plugins)) {
    const folder = folderOf(plugin)
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))

    it(`of ${plugin} all have a row and a licence`, () => {
      const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
      const names = files.map((name) => name.slice(0, -'.json'.length))
      expect(Object.keys(rows).toSorted()).to.deep.equal(names.toSorted())
      const notice = readFileSync(join(folder, 'NOTICE.md'), 'utf8')
      const patterns = [...notice.matchAll(/`([\w*-]+)\.json`/g)].map(
        ([, name = '']) => new RegExp(`^${name.replaceAll('*', '.*')}$`),
      )
      // Named only if there are several origins.
      const unnamed = names.filter((name) => !patterns.some((pattern) => pattern.test(name)))
      if (!/^All of them were written/m.test(notice)) expect(unnamed).to.deep.equal([])
    })

    for (const [name, row] of Object.entries(rows)) {
      if ('drive' in row) {
        it(`of ${plugin} keep every field in a skill: ${name}`, async () => {
          const answer = read(name)
          expect(lostFrom(answer, await row.drive(answer), row.aside)).to.deep.equal([])
        })
        it(`of ${plugin} keep unknown fields: ${name}`, async () => {
          const answer = withUnknownFields(read(name))
          expect(lostFrom(answer, await row.drive(answer), row.aside)).to.deep.equal([])
        })
      } else if ('check' in row) {
        it(`of ${plugin} have the expected meaning: ${name}`, async () => {
          await row.check(read(name))
        })
      } else {
        it(`of ${plugin} are used by no skill for a stated reason: ${name}`, () => {
          expect(row.unused).to.match(/\w+ .*\w+/)
        })
      }
    }
  }

  it('are detected if a field is lost', () => {
    expect(lostFrom({ a: [{ b: 1, c: null, '@odata.d': 2 }], e: 'x' }, { b: '1' }, [])).to.deep.equal([
      'e: x',
    ])
  })
})
