import { expect } from 'chai'
import { parseTargets } from '../../server/audit-export/settings.ts'

describe('audit log destinations', () => {
  it('have a name without credentials, and default ports', () => {
    const texts = [
      'file:/var/log/audit.jsonl',
      'https://Collector.example/in?token=x',
      'syslog+tls://Logs.example',
      'syslog+udp://[2001:DB8::1]',
    ]
    expect(parseTargets(texts).map(({ name }) => name)).to.deep.equal([
      'file:/var/log/audit.jsonl',
      'https://collector.example/in',
      'syslog+tls://logs.example:6514',
      'syslog+udp://[2001:db8::1]:514',
    ])
  })

  for (const [text, words] of [
    ['/var/log/audit', /must begin with file:/],
    ['ftp://x', /must begin with file:/],
    ['syslog://x', /must begin with file:/],
    ['file:', /must name a file/],
    ['file:/var/log/', /must name a file/],
    ['https://user:canary@x', /^names a destination, which must not contain credentials/],
    ['https://', /must be an address/],
    ['syslog+tcp://x:0', /scheme, a host and/],
    ['syslog+tcp://x:70000', /scheme, a host and/],
    ['syslog+tcp://x/path', /scheme, a host and/],
  ] as const) {
    it(`refuse ${text}`, () => {
      expect(() => parseTargets([text])).to.throw(words)
    })
  }

  it('are unique and at most four', () => {
    expect(() => parseTargets(['https://a.example/x?1', 'https://a.example/x?2'])).to.throw(/x twice/)
    expect(() => parseTargets(['1', '2', '3', '4', '5'].map((n) => `file:/${n}`))).to.throw(/at most 4/)
  })
})
