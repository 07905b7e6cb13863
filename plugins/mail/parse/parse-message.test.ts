import { expect } from 'chai'
import { SkillError } from 'tocsin/plugin'
import { phishMail, reportMail } from '../sandbox/sample-mail.ts'
import { readHtml } from './html.ts'
import { parseMail } from './parse-message.ts'

const parse = (...lines: readonly string[]) => parseMail(Buffer.from(lines.join('\r\n')), 'mx.example.com')

/** Processor time of some work in milliseconds. */
function costOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1_000
}

describe('reading a message that an attacker wrote', () => {
  it('finds the reported message in the report', async () => {
    const { message, inner, files } = await parseMail(Buffer.from(reportMail), 'mx.example.com')
    expect(message.authentication).to.have.length(1)
    expect(message.authentication[0]).to.include({ trusted: true, dmarc: 'pass' })
    expect(inner).to.have.length(1)
    const found = inner[0]?.message
    expect(found).to.include({
      subject: 'Your parcel is waiting',
      return_path: 'bounce@parcel-tracking.example',
    })
    expect(found?.links).to.include('https://parcel-tracking.example/pay?id=7&u=ana')
    expect(files.map(({ name }) => name)).to.deep.equal(['message-1.eml', 'invoice.pdf.exe'])
  })

  it('trusts only the sender check that its own server put on top', async () => {
    const own = 'Authentication-Results: MX.example.com; dmarc=fail'
    const forged = 'Authentication-Results: mx.example.com; dmarc=pass'
    const trusted = async (...headers: readonly string[]) =>
      (await parse(...headers, '', '')).message.authentication.map((one) => [one.trusted, one.dmarc])
    expect(await trusted(own, forged)).to.deep.equal([
      [true, 'fail'],
      [false, 'pass'],
    ])
    expect(await trusted('Authentication-Results: other.example; spf=pass', forged)).to.deep.equal([
      [false, null],
      [false, 'pass'],
    ])
    const { message } = await parseMail(Buffer.from(`${forged}\r\n\r\n`), undefined)
    expect(message.authentication[0]?.trusted, 'without authserv_id').to.equal(false)
    // A report can contain any headers.
    expect(
      (await parseMail(Buffer.from(reportMail), 'mx.example.com')).inner[0]?.message?.authentication[0]
        ?.trusted,
    ).to.equal(false)
  })

  it('keeps headers in order, with repeats, as plain lines', async () => {
    const { message } = await parse(
      'Received: b',
      'X-A: 1\x1b[31m\u202e',
      'Received: a',
      'Subject: =?utf-8?q?a=0D=0Ab?=',
      '',
      'x',
    )
    expect(message.headers.map(({ name }) => name)).to.deep.equal(['received', 'x-a', 'received', 'subject'])
    expect(JSON.stringify(message)).to.not.match(/\\u001b|\u202e|\\r/)
    expect(message.subject).to.equal('a b')
  })

  for (const [given, shown] of [
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\Users\\\\x.exe', 'x.exe'],
    ['invoice\u202efdp.exe', 'invoice fdp.exe'],
    ['.htaccess', 'htaccess'],
    ['a\tb.txt', 'a b.txt'],
    ['..', 'attachment-1'],
  ] as const)
    it(`shows the file name ${JSON.stringify(given)} as ${shown}`, async () => {
      const { files } = await parse(
        'Content-Type: application/octet-stream',
        `Content-Disposition: attachment; filename="${given}"`,
        '',
        'x',
      )
      expect(files.map(({ name }) => name)).to.deep.equal([shown])
    })

  it('returns link targets, also without quotes, with entities and inside other attributes', () => {
    const { links, text } = readHtml(
      "<a href=https://a.example/1>https://b.example</a><A HREF='https://a.example/2?x=1&amp;y=2'>go</a>" +
        '<a title="href=https://no.example" href="h&#116;tps://a.example/\n3">x</a><form action="https://a.example/4">' +
        '<!-- <a href="https://hidden.example"> --><script>"<a href=https://script.example>"</script><a href="javascript:x">',
      50,
    )
    expect(links.filter((link) => link.startsWith('https://a.example'))).to.deep.equal([
      'https://a.example/1',
      'https://a.example/2?x=1&y=2',
      'https://a.example/3',
      'https://a.example/4',
    ])
    expect(links.join(' ')).to.not.match(/javascript|hidden/)
    expect(text).to.include('https://b.example').and.not.include('script.example')
  })

  it('takes linear time for hostile HTML', () => {
    const sizes = 1_000_000
    for (const part of ['<', '<a ', '<a href=', '<!--', '&', '&#', '<a href="', "<'", '<script>'])
      expect(
        costOf(() => readHtml(part.repeat(sizes / part.length), 500)),
        part,
      ).to.be.below(1_500)
  })

  it('limits its output', async () => {
    const links = Array.from({ length: 5_000 }, (_, at) => `https://example.com/${at}`).join(' ')
    const parts = Array.from({ length: 300 }, () => [
      '--b',
      'Content-Disposition: attachment; filename=a',
      '',
      'x',
    ]).flat()
    const many = await parse(
      ...Array.from({ length: 900 }, (_, at) => `X-${at}: ${'v'.repeat(100)}`),
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      links + 'y'.repeat(300_000),
      ...parts,
      '--b--',
    )
    expect(many.message.headers).to.have.length(200)
    expect(many.message.links).to.have.length(500)
    expect(many.message.text).to.have.length(100_000)
    expect(many.message.text_truncated).to.equal(true)
    expect(many.message.attachments).to.have.length(100)
  })

  it('looks into three levels of messages, and at most ten', async () => {
    const wrap = (inner: string) => `Subject: outer\r\nContent-Type: message/rfc822\r\n\r\n${inner}`
    const deep = await parseMail(Buffer.from(wrap(wrap(wrap(wrap(wrap(phishMail)))))), undefined)
    expect(deep.inner).to.have.length(3)
    const twenty = Array.from(
      { length: 20 },
      () => `--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\n`,
    ).join('\r\n')
    const wide = await parse('Content-Type: multipart/mixed; boundary=b', '', twenty, '--b--')
    expect(wide.inner).to.have.length(10)
  })

  it('says why a message cannot be read, and reads the others', async () => {
    const nested = Array.from(
      { length: 60 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    ).join('')
    const error: unknown = await parse(nested).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(SkillError).and.include({ code: 'message_unreadable' })
    const { inner } = await parse(
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=bad.eml',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(nested).toString('base64'),
      '--o',
      'Content-Type: message/rfc822',
      '',
      'Subject: fine',
      '',
      '--o--',
    )
    expect(inner.map(({ message, problem }) => [message?.subject, problem?.slice(0, 26)])).to.deep.equal([
      [undefined, 'the message cannot be read'],
      ['fine', undefined],
    ])
  })

  it('survives anything', async () => {
    let seed = 7
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648)
    for (let round = 0; round < 60; round++) {
      const bytes = Buffer.from(reportMail)
      for (let change = 0; change < 40; change++) bytes[next() % bytes.length] = next() % 256
      const result: unknown = await parseMail(bytes.subarray(0, next() % bytes.length), 'mx').catch(
        (error: unknown) => error,
      )
      if (result instanceof Error) expect(result).to.be.instanceOf(SkillError)
      else expect(JSON.parse(JSON.stringify(result))).to.be.an('object')
    }
    expect((await parseMail(Buffer.alloc(0), undefined)).message).to.include({
      subject: '',
      text: '',
      message_id: null,
    })
  })
})
