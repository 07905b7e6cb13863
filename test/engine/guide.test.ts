import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'chai'

const folder = new URL('../../core/engine/', import.meta.url)
const text = readFileSync(new URL('README.md', folder), 'utf8')

describe('core/engine/README.md', () => {
  it('lists every file of the engine and no missing one', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => basename(file))
    const named = new Set(Array.from(text.matchAll(/`([a-z-]+\.ts)`/g), ([, file]) => file))
    expect([...named]).to.have.members(files)
  })
})
