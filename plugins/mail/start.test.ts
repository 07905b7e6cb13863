import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

describe('loading the plugin mail', () => {
  it('loads no library of mail', () => {
    const program = `
      import { registerHooks } from 'node:module'
      const seen = []
      registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) })
      await import('./plugin.ts')
      console.log(JSON.stringify(seen))`
    const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const
    const seen = execFileSync(process.execPath, ['--input-type=module', '-e', program], options)
    const loaded = JSON.parse(seen) as readonly string[]
    expect(loaded).to.include('./connection.ts')
    expect(loaded.filter((name) => /imapflow|nodemailer|postal-mime/.test(name))).to.deep.equal([])
  })
})
