import { expect } from 'chai'
import { extractFromJson, extractObservables } from './extract-observables.ts'

const mail = (body: string, ...headers: string[]) =>
  [
    'Return-Path: <bounce@evil.example>',
    'Received: from mail.evil.example (mail.evil.example [203.0.113.7])',
    ' by mx.acme.com with ESMTP id 4a for <victim@acme.com>; Mon, 1 Jan 2024 10:00:00 +0000',
    'From: "IT" <it@evil.example>',
    'To: Victim <victim@acme.com>',
    'Message-ID: <1.2@mail.evil.example>',
    'In-Reply-To: <3.4@mail.acme.com>',
    ...headers,
    '',
    body,
  ].join('\r\n')
const quoted = 'Content-Transfer-Encoding: quoted-printable'
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('indicators: raw e-mail', () => {
  it('yields sender and relays, but not recipient domains', () => {
    const found = extractObservables(mail('Dear victim@acme.com, see http://phish.example/a'))
    expect(found).to.deep.include({
      domain: ['evil.example', 'mail.evil.example', 'phish.example'],
      ip: ['203.0.113.7'],
      email: ['bounce@evil.example', 'victim@acme.com', 'it@evil.example'],
    })
    expect(extractFromJson({ raw: mail('http://phish.example/') }).all.at(-1)?.places).to.deep.equal(['/raw'])
  })

  it('yields a recipient domain that is also a sender or named in the text', () => {
    expect(
      extractObservables('From: a@evil.example\nTo: b@evil.example\nSubject: x\n\nhi').domain,
    ).to.deep.equal(['evil.example'])
    expect(extractObservables(mail('go to login.acme.com')).domain).to.include('login.acme.com')
  })

  it('is decoded by its headers only', () => {
    const body = 'http://phish.example/a?b=3D1&c=\r\n=3D2 now'
    expect(extractObservables(mail(body, quoted)).url).to.deep.equal(['http://phish.example/a?b=1&c=2'])
    expect(extractObservables(mail('http://phish.example/a?b=3D1')).url).to.deep.equal([
      'http://phish.example/a?b=3D1',
    ])
    expect(
      extractObservables(mail(base64('http://phish.example/'), 'Content-Transfer-Encoding: BASE64')).url,
    ).to.deep.equal(['http://phish.example/'])
    expect(
      extractObservables(mail('x', `Subject: =?utf-8?B?${base64('see phish')}?=\r\n =?utf-8?Q?.example?=`))
        .domain,
    ).to.include('phish.example')
    expect(
      extractObservables(mail('http://t=E4st.de/', 'Content-Type: text/plain; charset=iso-8859-1', quoted))
        .domain,
    ).to.include('xn--tst-qla.de')
    expect(
      extractObservables(
        mail('http://phish.example/=20', 'Content-Type: text/plain; charset=nonsense', quoted),
      ).url,
    ).to.deep.equal(['http://phish.example/'])
  })

  it('is read part by part, including nested parts, without attachments', () => {
    const inner = `--b2\r\nContent-Type: text/html\r\n${quoted}\r\n\r\n<a href=3D"http://html.example/?a=3D1&amp;b=\r\n=3D2">x</a>\r\n--b2--`
    const body = [
      '--b1',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      base64('see http://text.example/ä'),
      '--b1',
      'Content-Type: multipart/alternative;',
      ' boundary=b2',
      '',
      inner,
      '--b1',
      'Content-Type: application/zip; name="a.zip"',
      'Content-Transfer-Encoding: base64',
      '',
      base64('http://attachment.example/'),
      '--b1--',
      'after.example',
    ].join('\r\n')
    const found = extractObservables(mail(body, 'Content-Type: multipart/mixed; boundary="b1"'))
    expect(found.url).to.deep.equal(['http://text.example/%C3%A4', 'http://html.example/?a=1&b=2'])
    expect(found.domain).to.include('after.example').and.not.include('attachment.example')
  })

  it('is not confused with text with colons', () => {
    const found = extractObservables('From: http://evil.example/?a=3D1\nNote: x\n\nto ana@acme.com')
    expect(found.url).to.deep.equal(['http://evil.example/?a=3D1'])
    expect(found.domain).to.deep.equal(['evil.example', 'acme.com'])
  })
})
