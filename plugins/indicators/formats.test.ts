import { expect } from 'chai'
import { extractFromJson, extractObservables } from './extract-observables.ts'

const users = (text: string) => extractObservables(text).user
const hosts = (text: string) => extractObservables(text).host
const fileHash = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f'
const other = 'f34d5f2d4577ed6d9ceec516c1f5a744'

const sysmon = `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>
<Provider Name='Microsoft-Windows-Sysmon' Guid='{5770385f-c22a-43e0-bf4c-06f5698ffbd9}'/><EventID>1</EventID>
<Computer>WS01.acme.example</Computer><Security UserID='S-1-5-18'/></System><EventData>
<Data Name='User'>ACME\\bob</Data><Data Name="TargetUserName">eve</Data><Data Name='Image'>C:\\Temp\\x.com</Data>
<Data Name='CommandLine'>iwr &quot;http://evil.example/a?b=1&amp;c=2&quot;</Data>
<Data Name='Hashes'>SHA256=${fileHash},IMPHASH=${other.toUpperCase()}</Data>
<Data Name='QueryName'>c2.evil.example</Data></EventData></Event>`

describe('indicators: XML', () => {
  it('of Windows events yields machines, users and values without entities', () => {
    const found = extractObservables(sysmon)
    expect(found).to.deep.include({
      host: ['ws01.acme.example'],
      user: ['ACME\\bob', 'eve'],
      url: ['http://evil.example/a?b=1&c=2'],
      domain: ['evil.example', 'c2.evil.example'],
      hash: [fileHash],
    })
    expect(extractFromJson({ raw: sysmon }).all[0]?.places).to.deep.equal(['/raw'])
  })

  it('yields users and machines by element names and context', () => {
    expect(
      users('<alert><user>bob</user><x:user_name><![CDATA[ACME\\eve]]></x:user_name></alert>'),
    ).to.deep.equal(['bob', 'ACME\\eve'])
    expect(
      users('<a><user><name>bob</name></user><user name="eve"/><user name=\'ana\'/></a>'),
    ).to.have.members(['bob', 'eve', 'ana'])
    expect(hosts('<a><host><name>ws-9</name></host></a>')).to.deep.equal(['ws-9'])
  })

  it('stays text if it is HTML or not closed', () => {
    const page =
      '<html><p>user <b>bob</b></p><title>evil.com</title><a href="http://evil.example/x">ana</a></html>'
    expect(extractObservables(page)).to.deep.include({ user: [], domain: ['evil.example', 'evil.com'] })
    expect(users('<user>bob</host> <user>eve')).to.deep.equal([])
  })
})

describe('indicators: LEEF', () => {
  it('is read with tabs, with a custom delimiter, and with its character code', () => {
    for (const line of [
      'LEEF:1.0|V|P|1|9|src=10.0.0.1\tusrName=bob\tidentHostName=WS01\tdst=203.0.113.5',
      '<13>Jan 1 fw LEEF:2.0|V|P|1|9|^|usrName=bob^identHostName=WS01^dst=203.0.113.5',
      'LEEF:2.0|V|P|1|9|0x5E|usrName=bob^identHostName=WS01^dst=203.0.113.5',
      'LEEF:1.0|V|P|1|9|usrName=bob\\tidentHostName=WS01\\tdst=203.0.113.5',
    ]) {
      expect(extractObservables(line), line).to.deep.include({
        user: ['bob'],
        host: ['ws01'],
        ip: ['203.0.113.5'],
      })
    }
  })

  it('keeps text between attributes', () => {
    expect(extractObservables('LEEF:2.0|V|P|1|9|^|evil.example^usrName=bob').domain).to.deep.equal([
      'evil.example',
    ])
  })
})

describe('indicators: tables with a header row', () => {
  it('are read row by row, with quotes and any delimiter', () => {
    const table =
      'time,user,host,src_ip,comment\r\n1,bob,WS01,203.0.113.5,"a, ""evil.example"""\r\n2,ACME\\eve,ws02,,\r\n'
    expect(extractObservables(table)).to.deep.include({
      user: ['bob', 'ACME\\eve'],
      host: ['ws01', 'ws02'],
      ip: ['203.0.113.5'],
      domain: ['evil.example'],
    })
    for (const delimiter of [';', '\t', '|'])
      expect(users(`User Name${delimiter}Computer\nbob${delimiter}ws01`), delimiter).to.deep.equal(['bob'])
  })

  it('are not prose with commas, nor rows of different lengths', () => {
    for (const text of [
      'Dear user, hello\nfoo, bar\n',
      'Our host, the user and others\nwere seen, as they\n',
      'id,user\n1,bob,3\n',
      'user,host\n',
    ])
      expect(extractObservables(text).all, text).to.deep.equal([])
  })
})

describe('indicators: key-value lines', () => {
  it('name users and machines', () => {
    expect(users('User: anowak')).to.deep.equal(['anowak'])
    expect(users('  - user_name: "ACME\\bob",\n**User:** `eve`')).to.deep.equal(['ACME\\bob', 'eve'])
    expect(extractObservables('alert:\n  user:\n    name: bob\n  host: WS01\n')).to.deep.include({
      user: ['bob'],
      host: ['ws01'],
    })
  })

  it('name the account of a Windows message', () => {
    const message =
      'Logged on.\r\n\r\nSubject:\r\n\tSecurity ID:\t\tS-1-5-18\r\n\tAccount Name:\t\tWS01$\r\n\tAccount Domain:\t\tACME\r\n\r\nNew Logon:\r\n\tAccount Name:\t\tbob\r\n\tAccount Domain:\t\tACME\r\n\r\n\tWorkstation Name:\tWS02\r\n'
    expect(extractObservables(message)).to.deep.include({ user: ['bob'], host: ['ws01', 'ws02'] })
  })

  it('are not prose, states, or the target of an HTTP request', () => {
    const prose =
      'Note to user: beware\nHost: down\nLogin: failed\nActor: APT28\nThe user: bob\nUser: please call\nhost: the machine\nAs user: bob wrote'
    expect(extractObservables(prose)).to.deep.include({ user: [], host: [] })
    expect(extractObservables('GET / HTTP/1.1\r\nHost: evil.example\r\n')).to.deep.include({
      host: [],
      domain: ['evil.example'],
    })
  })

  it('with an equals sign support quotes, spaces, and a domain with a slash', () => {
    expect(users(`user="ACME/HR.Lee" suser=ACME\\\\bob (user=ana) user='eve'`)).to.deep.equal([
      'ACME/HR.Lee',
      'ACME\\bob',
      'ana',
      'eve',
    ])
    expect(users('%ASA-6: Group = Staff, Username = bob, IP = 203.0.113.9')).to.deep.equal(['bob'])
    expect(users('user="HTTP/web01" user="path/to" user="/etc/x"')).to.deep.equal([])
  })
})

describe('indicators: fingerprints other than file hashes', () => {
  it('are ignored in text by the preceding word', () => {
    for (const text of [
      `IMPHASH=${other}`,
      `imphash ${other}`,
      `JA3 hash ${other}`,
      `ja3s: "${other}"`,
      `hassh fingerprint is ${other}`,
      `session_id=${other}`,
      `Session ID: ${other}`,
      `etag="${other}"`,
      `TLSH ${fileHash}`,
      `ssdeep=3:${other}:${other}`,
    ])
      expect(extractObservables(`MD5=1, ${text}`).hash, text).to.deep.equal([])
  })

  it('are ignored in JSON by key, parent key, or sibling algorithm', () => {
    for (const value of [
      { imphash: fileHash },
      { ImpHash: fileHash },
      { ja3_hash: fileHash },
      { tls: { ja3s: { hash: fileHash } } },
      { type: 'imphash', value: fileHash },
      { algorithm: 'TLSH', hash: fileHash },
      { fingerprint: fileHash },
      { Hashes: `IMPHASH=${other}` },
    ])
      expect(extractFromJson(value).hash, JSON.stringify(value)).to.deep.equal([])
  })

  it('do not hide neighboring file hashes', () => {
    for (const text of [`MD5: ${other}`, `ja3 seen with ${other}`, `IMPHASH=${'a1'.repeat(16)},MD5=${other}`])
      expect(extractObservables(text).hash, text).to.deep.equal([other])
    expect(
      extractFromJson({ type: 'sha256', value: fileHash, hashes: { MD5: other } }).hash,
    ).to.have.lengthOf(2)
  })
})
