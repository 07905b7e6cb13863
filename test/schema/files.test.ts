import { expect } from 'chai'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSchemaFolder } from '../../core/schema/index.ts'

const made: string[] = []

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'schemas-'))
  made.push(path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

describe('loadSchemaFolder', () => {
  after(() => made.forEach((path) => rmSync(path, { recursive: true })))

  it('returns schemas by name, which may refer to each other', () => {
    const path = folder({
      'id.schema.json': '{"$id":"https://tocsin.dev/id","type":"string","minLength":1}',
      'case.schema.json':
        '{"type":"object","required":["id"],"properties":{"id":{"$ref":"https://tocsin.dev/id"}}}',
      'README.md': 'not a schema',
    })
    const schemas = loadSchemaFolder(path)
    expect([...schemas.keys()]).to.have.members(['id', 'case'])
    expect(schemas.get('case')?.problems({ id: '' })).to.deep.equal([
      { pointer: '/id', message: 'must not be empty' },
    ])
    expect(schemas.get('case')?.problems({ id: 'a' })).to.deep.equal([])
  })

  it('loads the schemas of this repository', () => {
    const schemas = loadSchemaFolder(join(import.meta.dirname, '../../schemas'))
    expect(schemas.get('alert')?.problems('no alert')).to.have.length.above(0)
  })

  it('names an unreadable file', () => {
    expect(() => loadSchemaFolder(folder({ 'a.schema.json': '{' }))).to.throw(/a\.schema\.json/)
    expect(() => loadSchemaFolder(folder({ 'b.schema.json': '{"type":"text"}' }))).to.throw(/b\.schema\.json/)
  })
})
