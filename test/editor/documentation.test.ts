import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { runTocsin } from '../cli/support/run-tocsin.ts'

const page = readFileSync(new URL('../../docs/editors.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!)

describe('docs/editors.md', () => {
  it('has settings that are JSON', () => {
    const settings = blocks('json').map((text) => JSON.parse(text) as Record<string, unknown>)
    expect(settings.flatMap((each) => Object.keys(each))).to.include.members([
      'yaml.schemas',
      'glspc.server.command',
    ])
  })

  it('names commands and options that exist', async () => {
    const used = [...page.matchAll(/npx tocsin ([a-z]+)((?: --?[a-z]+)*)/g)]
    expect(used.length).to.be.greaterThan(5)
    for (const [, command, options] of used) {
      const { code, stdout } = await runTocsin([command!, '--help'])
      expect(code, command).to.equal(0)
      for (const option of options!.split(' ').filter(Boolean)) expect(stdout, command).to.include(option)
    }
  })
})
