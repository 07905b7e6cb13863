import { expect } from 'chai'
import { extractObservables } from './extract-observables.ts'
import type { ExtractedKind, ExtractionOptions } from './observables.ts'

/** `[text, values of the kind]`. */
type Rows = readonly (readonly [string, ...string[]])[]

const check = (kind: ExtractedKind, rows: Rows, options: ExtractionOptions = {}): void => {
  for (const [text, ...values] of rows)
    expect(extractObservables(text, options)[kind], text).to.deep.equal(values)
}

describe('indicators: addresses in text', () => {
  it('are found with ports, in brackets, and next to punctuation', () => {
    check('ip', [
      ['8.8.8.8:53', '8.8.8.8'],
      ['[8.8.4.4] and (9.9.9.9). Then "1.0.0.1"', '8.8.4.4', '9.9.9.9', '1.0.0.1'],
      ['from 1.1.1.1-1.1.1.9', '1.1.1.1', '1.1.1.9'],
      ['tcp outside/203.0.113.6(123)', '203.0.113.6'],
      ['203.0.113.5/32', '203.0.113.5'],
      ['src=198.51.100.1;dst=198.51.100.2', '198.51.100.1', '198.51.100.2'],
    ])
  })

  it('are not versions, networks, object ids, parts of names, or numbers out of range', () => {
    check('ip', [
      ['v1.2.3.4'],
      ['version 1.2.3.4, build: 1.2.3.4'],
      ['Chrome/113.0.0.0 Safari/5.6.7.8'],
      ['1.3.6.1.4.1.311'],
      ['1.2.3.4.5'],
      ['300.1.1.1'],
      ['01.02.03.04'],
      ['203.0.113.0/24'],
      ['ip-5.6.7.8.ec2.internal'],
      ['1.2.3.4-beta'],
      ['cpe:2.3:a:vendor:product:7.65.17.80:*:* cpe:/a:vendor:product:7.65.17.80'],
      ['{"agent_version":"8.8.8.8","engine-version":"11.0.1.19","protectVersion":"8.13.1.2"}'],
    ])
  })

  it('are found in every form of IPv6, in one spelling', () => {
    check('ip', [
      ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['[2606:4700:4700::1111]:443', '2606:4700:4700::1111'],
      ['src:2606:4700::1 ended 2606:4700::2: yes', '2606:4700::1', '2606:4700::2'],
      ['2606:4700::3%eth0', '2606:4700::3'],
      ['::ffff:8.8.8.8', '8.8.8.8'],
      ['2606:4700::/32'],
    ])
  })

  it('are not times, MAC addresses, or names with colons', () => {
    check('ip', [
      ['12:30:45'],
      ['aa:bb:cc:dd:ee:ff and 00:11:22:33:44:55:66:77'],
      ['AWS::IAM::Role std::vector dead::beef a::b ::'],
      ['incident:sshlogin:832426ae8c3a0e1450ac6dba:1762757102'],
    ])
  })

  it('are omitted and counted if not routable, and listed on demand', () => {
    const text =
      '10.0.0.1 172.16.0.1 192.168.0.1 127.0.0.1 169.254.1.1 100.64.0.1 0.0.0.0 255.255.255.255 fe80::1%eth0 fd00::1 ::1'
    expect(extractObservables(text).ip).to.deep.equal([])
    expect(extractObservables(text).leftOut).to.equal(11)
    expect(extractObservables(text, { includePrivate: true }).ip).to.have.lengthOf(11)
    check('url', [['http://10.0.0.5/admin']])
    check('url', [['http://10.0.0.5/admin', 'http://10.0.0.5/admin']], { includePrivate: true })
  })

  it('are listed if reserved for documentation', () => {
    check('ip', [['192.0.2.1 198.51.100.1 2001:db8::1', '192.0.2.1', '198.51.100.1', '2001:db8::1']])
  })
})

describe('indicators: URLs in text', () => {
  it('end before punctuation, quotes and markup', () => {
    check('url', [
      ['(https://en.wikipedia.org/wiki/Foo_(bar)).', 'https://en.wikipedia.org/wiki/Foo_(bar)'],
      ['[link](https://a.com/x), "https://b.com/y".', 'https://a.com/x', 'https://b.com/y'],
      ['<https://c.com/z|c.com>', 'https://c.com/z'],
      ['[https://a.com/](https://a.com/)', 'https://a.com/'],
      ['siehe https://a.com/ä！', 'https://a.com/%C3%A4'],
      ['http://a.com/1,http://b.com/2;http://c.com/3', 'http://a.com/1', 'http://b.com/2', 'http://c.com/3'],
    ])
  })

  it('are normalized like in browsers, and listed once', () => {
    check('url', [['HTTP://EVIL.com:80 http://evil.com/', 'http://evil.com/']])
    check('ip', [['http://0x08.0x08.0x08.0x08/ http://134744072/', '8.8.8.8']])
  })

  it('yield their host too, for every scheme', () => {
    check('domain', [
      ['https://cdn.evil.example:8443/a', 'cdn.evil.example'],
      ['${jndi:ldap://evil.com:1389/a}', 'evil.com'],
      ['http://paypal.com@evil.com/', 'evil.com'],
    ])
    check('ip', [['tcp://[2606:4700::1]:4444', '2606:4700::1']])
  })

  it('yield the target behind a redirector or mail gateway', () => {
    const gateway = 'https://gate.example/?url=https%3A%2F%2Fevil.com%2Flogin%3Fa%3D1&d=5'
    check('url', [
      [gateway, gateway, 'https://evil.com/login?a=1'],
      ['https://a.com/web/http://evil.com/x', 'https://a.com/web/http://evil.com/x', 'http://evil.com/x'],
    ])
  })

  it('are listed without passwords', () => {
    check('url', [['ftp://svc:hunter2@files.example.com/a', 'ftp://svc@files.example.com/a']])
  })

  it('are not XML vocabularies, names of cloud APIs, or machines without a domain', () => {
    check('url', [
      ['http://www.w3.org/2001/XMLSchema-instance'],
      ['https://www.googleapis.com/auth/cloud-platform'],
      ['http://localhost/x http://intranet/y'],
    ])
  })
})

describe('indicators: domains in text', () => {
  it('are found bare, with a port or a path, in lower case and in punycode', () => {
    check('domain', [
      ['EVIL.COM evil.co.uk:8080 (www.evil2.com/a?b=1)', 'evil.com', 'evil.co.uk', 'www.evil2.com'],
      ['täst.de xn--tst-qla.de', 'xn--tst-qla.de'],
      ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
      ['pаypal.com', 'xn--pypal-4ve.com'],
      ['请访问example.com吧', 'example.com'],
      ['_dmarc.evil.com abc.onion x.evil.example.', '_dmarc.evil.com', 'abc.onion', 'x.evil.example'],
      ['\\\\files.example.com\\share //cdn.example.com/a.js', 'files.example.com', 'cdn.example.com'],
    ])
  })

  it('are found directly before brackets, ports, quotes and the end of a sentence', () => {
    for (const text of [
      'C2 evil.example(203.0.113.7)',
      'evil.example([2001:db8::7])',
      'evil.example(C2)',
      'evil.example[203.0.113.7]: 550',
      'evil.example:443',
      'evil.example/…',
      '"evil.example"',
      'evil.example;',
    ])
      check('domain', [[text, 'evil.example']])
    check('domain', [
      ['evil-c2.xyz(IPアドレス 203.0.113.7)', 'evil-c2.xyz'],
      ['evil.click(203.0.113.7) evil.link(恶意)', 'evil.click', 'evil.link'],
    ])
  })

  it('are not files, paths, applications or malware', () => {
    check('domain', [
      ['invoice.pdf cmd.exe run.py setup.sh readme.md update.zip invoice.pdf.zip libfoo.so.1 index.php'],
      ['C:\\Users\\a.com /opt/foo.com/bar path/to/x.com'],
      ['Terminal.app Exploit.PDF-JS.MF System.IO ASP.NET Node.js'],
      ['co.uk github com.apple.zsh google.iam.v1.Policy e.g. i.e. U.S. B.V. 10.5p1'],
    ])
  })

  it('are not fields, methods, services of cloud providers, or internal names', () => {
    check('domain', [
      [
        'host.name=foo user.name: x console.log(a) os.system(x) b.click(x) list.map(f) logger.info("x") a.com() $item.name {{ inputs.actor.id }} ${a.b.name}',
      ],
      ['iam.googleapis.com kms.amazonaws.com compute.instances.insert'],
      ['server.local db.corp x.internal foo.test'],
      ['{"eventSource":"iam.amazonaws.com","type":"evil.com","processName":"x.com"}'],
    ])
  })

  it('of the organization and their subdomains are omitted and counted', () => {
    const text =
      'https://intra.corp.example.com/x corp.example.com notcorp.example.com a@corp.example.com wrote'
    const found = extractObservables(text, { ownDomains: ['Corp.Example.com'] })
    expect(found.domain).to.deep.equal(['notcorp.example.com'])
    expect(found.url).to.deep.equal([])
    expect(found.email).to.deep.equal(['a@corp.example.com'])
    expect(found.leftOut).to.equal(3)
  })
})

describe('indicators: e-mail addresses in text', () => {
  it('are found in headers, links and lists', () => {
    check('email', [
      [
        '"A B" <A.B+x@Sub.Evil.com>, mailto:c@d.co.uk; user:e@f.com.',
        'a.b+x@sub.evil.com',
        'c@d.co.uk',
        'e@f.com',
      ],
      ['x@localhost zlib@openssh.com icon@2x.png parcel@2.10.3 a@b@c.com @a.com'],
      ['{"message_id":"<1.2@mail.example>","userKey":"i:0h.f|membership|12345@live.com"}'],
    ])
  })

  it('yield their domain for senders and in prose, but not for users or recipients', () => {
    check('domain', [
      ['{"from":"x@evil.com"}', 'evil.com'],
      ['{"source":{"address":"x@evil.com"}}', 'evil.com'],
      ['mail from x@evil.com arrived', 'evil.com'],
      ['{"user":"ana@example.com","to":"Ana B <ana@example.com>","email":"ana@example.com"}'],
      ['a@example.com, b@example.com'],
    ])
  })
})

describe('indicators: hashes and CVE ids in text', () => {
  const md5 = '44d88612fea8a8f36de82e1278abb02f'
  const sha256 = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f'

  it('are found by length, in lower case', () => {
    check('hash', [
      [`MD5=${md5.toUpperCase()},SHA256=${sha256}`, md5, sha256],
      [`image@sha256:${sha256}`, sha256],
      [`{"md5":"${md5}","indicator":"${sha256}"}`, md5, sha256],
    ])
  })

  it('are not UUIDs, ids, keys, commits, placeholders, or the hash of empty input', () => {
    check('hash', [
      ['44d88612-fea8-a8f3-6de8-2e1278abb02f'],
      [`{"id":"${md5}","p_row_id":"${md5}","etag":"${md5}","watch_list":"${md5}","incident_hash":"${md5}"}`],
      [`{"head_sha":"3395856ce81f2b7382dee72602f798b642f14140","owner":{"id":"${sha256}"}}`],
      [`arn:aws:guardduty:us-east-1:123456789012:detector/${md5}/finding/${md5}`],
      [`${'0'.repeat(40)} ${'12'.repeat(16)} ${md5}a d41d8cd98f00b204e9800998ecf8427e`],
    ])
  })

  it('are upper case for CVE ids, also with typeset hyphens', () => {
    check('vulnerability', [
      ['cve-2021-44228, CVE‑2024‑1234567 CVE-2021-12 xCVE-2021-44228', 'CVE-2021-44228', 'CVE-2024-1234567'],
    ])
  })
})

describe('indicators: defanged text', () => {
  it('is refanged before it is read', () => {
    const found = extractObservables(
      'hxxps://examp1e[.]com/a?b=1, 1[.]2[.]3[.]4, user[at]evil[.]example, evil(dot)com and hxxp[://]bad[.]ru/x',
    )
    expect(found.url).to.deep.equal(['https://examp1e.com/a?b=1', 'http://bad.ru/x'])
    expect(found.domain).to.deep.equal(['examp1e.com', 'bad.ru', 'evil.example', 'evil.com'])
    expect(found.email).to.deep.equal(['user@evil.example'])
    expect(found.ip).to.deep.equal(['1.2.3.4'])
  })
})
