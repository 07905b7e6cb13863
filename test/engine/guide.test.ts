import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const folder = new URL('../../core/engine/', import.meta.url)
const text = readFileSync(new URL('README.md', folder), 'utf8')

describe('core/engine/README.md', () => {
  it('names every file of the engine, and none that is not there', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
    const named = new Set(Array.from(text.matchAll(/`([a-z-]+\.ts)`/g), ([, file]) => file))
    expect([...named]).to.have.members(files)
  })
})
