import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertSources, describeAlert, identifyAlert } from '../../core/alert-source/index.ts'
import { limitHere, threadTime } from '../support/processor-time.ts'

const samples = join(import.meta.dirname, '../data/alerts')
const describeJson = (data: unknown) => describeAlert({ content: JSON.stringify(data) })
const sample = (name: string) =>
  describeAlert({ content: readFileSync(join(samples, `${name}.json`), 'utf8') })

describe('the description of an alert', () => {
  it('recognizes the product of every sample, and reads a title from it', () => {
    const files = readdirSync(samples).filter((file) => file.endsWith('.json'))
    const unread = files.filter((file) => {
      const { source, title } = sample(file.replace(/\.json$/, ''))
      return source === null || title === null
    })
    expect(unread).to.deep.equal([])
  })

  it('identifies an alert as it describes it, without its observables', () => {
    for (const file of readdirSync(samples).filter((name) => name.endsWith('.json'))) {
      const content = readFileSync(join(samples, file), 'utf8')
      const { source, facts } = identifyAlert({ content })
      const { observables: _, ...described } = describeAlert({ content })
      expect({ source, ...facts }, file).to.deep.equal(described)
    }
  })

  const read: readonly [file: string, source: string, title: string, severity: string | null, at: string][] =
    [
      [
        'aws-key-compromised',
        'cloudtrail',
        'PutUserPolicy by compromised_user',
        null,
        '2020-04-10T06:22:08.000Z',
      ],
      ['cortex-xdr-alert', 'cortex_xdr', 'Behavioral Threat on hostname', 'high', '2024-01-29T15:01:39.609Z'],
      ['sentinel-incident', 'sentinel_incident', 'Not a test at all', 'low', '2022-06-02T09:52:00.564Z'],
      [
        'suricata-alert',
        'suricata',
        'ET HUNTING GENERIC SUSPICIOUS POST to sanitized with Fake Browser 1',
        'medium',
        '2017-04-07T21:24:37.251Z',
      ],
      [
        'osquery-ssh-listener',
        'osquery',
        'pack_incident-response_listening_ports on test.lan',
        null,
        '2018-09-11T16:14:21.000Z',
      ],
      [
        'upwind-api-detection-passthrough',
        'upwind',
        'BOLA - Unauthorized Object Access',
        'high',
        '2026-03-18T12:00:00.000Z',
      ],
      [
        'jira-service-alert',
        'opsgenie',
        'The CPU usage on Server XYZ has exceeded 80% for over 5 minutes.',
        'critical',
        '2022-04-01T00:00:00.000Z',
      ],
    ]
  for (const [file, source, title, severity, at] of read) {
    it(`reads ${file}`, () => {
      const found = sample(file)
      expect(found.source?.name).to.equal(source)
      expect(found).to.include({ title, severity, occurredAt: Date.parse(at) })
    })
  }

  it('reads the observables and the id of a finding', () => {
    const { observables, sourceId } = sample('guardduty-rdp-brute-force')
    expect(sourceId).to.equal('02ba7e2d000521f35033ed64488b8e1b')
    expect(observables).to.deep.include.members([
      { kind: 'host', value: 'i-053d1520f53584149' },
      { kind: 'ip', value: '213.108.133.9' },
    ])
  })

  it('reads an event in the envelope of EventBridge', () => {
    const detail: unknown = JSON.parse(readFileSync(join(samples, 'guardduty-rdp-brute-force.json'), 'utf8'))
    const found = describeJson({ source: 'aws.guardduty', 'detail-type': 'GuardDuty Finding', detail })
    expect(found.source?.name).to.equal('guardduty')
  })

  it('reads the finding of Security Hub in its envelope, and no id from several findings', () => {
    const finding = {
      AwsAccountId: '111122223333',
      GeneratorId: 'g',
      ProductArn: 'arn:aws:securityhub:us-west-2::product/aws/securityhub',
      Id: 'arn:aws:securityhub:us-west-2:111122223333:finding/1',
      Title: 'S3 bucket is public',
      Severity: { Label: 'CRITICAL', Normalized: 90 },
      UpdatedAt: '2026-01-22T01:00:00.000Z',
    }
    const envelope = (findings: readonly unknown[]) =>
      describeJson({
        source: 'aws.securityhub',
        'detail-type': 'Security Hub Findings - Imported',
        detail: { findings },
      })
    const found = envelope([finding])
    expect(found.source?.name).to.equal('security_hub')
    expect(found).to.include({
      title: 'S3 bucket is public',
      severity: 'critical',
      occurredAt: 1_769_043_600_000,
      sourceId: finding.Id,
    })
    expect(envelope([finding, finding]).sourceId).to.equal(null)
  })

  it('reads the webhook of Opsgenie', () => {
    const alert = {
      alertId: '70413a06-38d6-4c85-92b8-5ebc900d42e2',
      tinyId: '1791',
      message: 'Odd login',
      alias: 'chosen by the sender',
      priority: 'P2',
      createdAt: 1_769_043_600_000,
    }
    const found = describeJson({ action: 'Create', source: { type: 'api' }, alert, integrationName: 'x' })
    expect(found.source?.name).to.equal('opsgenie_webhook')
    expect(found).to.include({
      title: 'Odd login',
      severity: 'high',
      occurredAt: 1_769_043_600_000,
      sourceId: alert.alertId,
    })
  })

  it('reads the webhook of Canary', () => {
    const found = describeJson({
      Description: 'SSH Login Attempt',
      Timestamp: '2026-01-22 01:00:00 (UTC)',
      CanaryName: 'files-1',
      CanaryIP: '10.0.0.5',
      SourceIP: '203.0.113.77',
      AlertType: 'CanaryIncident',
    })
    expect(found.source?.name).to.equal('canary_webhook')
    expect(found).to.include({
      title: 'SSH Login Attempt from 203.0.113.77',
      occurredAt: 1_769_043_600_000,
    })
    expect(found.observables).to.deep.include({ kind: 'ip', value: '203.0.113.77' })
  })

  it('reads the priority of ServiceNow as a number and as it is displayed', () => {
    const severity = (priority: string) =>
      describeJson({ sys_id: '1', short_description: 'x', priority }).severity
    expect(['1', '1 - Critical', '3 - Moderate', '5 - Planning'].map(severity)).to.deep.equal([
      'critical',
      'critical',
      'medium',
      'informational',
    ])
  })

  it('reads the highest score of a message', () => {
    const message = { threatsInfoMap: [], subject: 'x', malwareScore: 0, phishScore: 100, impostorScore: 50 }
    expect(describeJson(message).severity).to.equal('critical')
  })

  it('reads the highest severity of several events, and the id of none of them', () => {
    const event = { endpoint_id: 'e', severity: 'low', name: 'Cleaned', id: 'known' }
    const both = describeJson({ events: [event, { ...event, severity: 'critical', id: 'new' }] })
    expect(both).to.include({ severity: 'critical', sourceId: null })
    expect(describeJson({ events: [event] })).to.include({ severity: 'low', sourceId: 'known' })
  })

  it('reads fields with common names from an unknown product, and guesses neither id nor observables', () => {
    const found = describeJson({
      title: 'Odd login',
      severity: 'HIGH',
      id: '7',
      user: 'kim',
      time: 1_767_225_600,
    })
    expect(found).to.deep.equal({
      source: null,
      title: 'Odd login',
      severity: 'high',
      occurredAt: 1_767_225_600_000,
      sourceId: null,
      observables: [],
    })
  })

  const lines: readonly [line: string, title: string, severity: string | null][] = [
    [
      '<134>Jan 12 10:11:12 fw01 CEF:0|Acme|Wall|9.1|1|Deny \\| drop|7|src=198.51.100.23 dst=10.0.0.5',
      'Deny | drop (Acme Wall)',
      'high',
    ],
    ['CEF:0|Acme|Wall|9.1|1|Scan|Very-High|src=198.51.100.23', 'Scan (Acme Wall)', 'critical'],
    [
      'LEEF:1.0|Acme|Wall|2|Login failed|src=198.51.100.23\tsev=5\tusrName=kim',
      'Login failed (Acme Wall)',
      'medium',
    ],
    ['LEEF:2.0|Acme|Wall|2|Scan|^|src=198.51.100.23^sev=9', 'Scan (Acme Wall)', 'critical'],
    ['LEEF:2.0|Acme|Wall|2|Scan|x7C|src=198.51.100.23|sev=9', 'Scan (Acme Wall)', 'critical'],
    ['LEEF:2.0|Acme|Wall|2|Scan|src=198.51.100.23\tsev=9', 'Scan (Acme Wall)', 'critical'],
  ]
  for (const [line, title, severity] of lines) {
    it(`reads the line ${line.slice(0, 30)}…`, () => {
      const found = describeAlert({ content: line })
      expect(found).to.include({ title, severity })
      expect(found.observables).to.deep.include({ kind: 'ip', value: '198.51.100.23' })
    })
  }

  it('reads values with spaces, and no field out of the value of another', () => {
    const observablesOf = (content: string) => describeAlert({ content }).observables
    expect(
      observablesOf('CEF:0|A|W|9|1|Scan|7|suser=Kim Doe msg=see src\\=203.0.113.9 src=198.51.100.23'),
    ).to.deep.equal([
      { kind: 'ip', value: '198.51.100.23' },
      { kind: 'user', value: 'Kim Doe' },
    ])
    expect(
      observablesOf('LEEF:1.0|A|W|2|Login|src=198.51.100.23\tusrName=kim src=203.0.113.9\tsrc=203.0.113.8'),
    ).to.deep.equal([
      { kind: 'ip', value: '198.51.100.23' },
      { kind: 'user', value: 'kim src=203.0.113.9' },
    ])
  })

  const times: readonly [value: unknown, at: number | null][] = [
    ['2026-01-22T01:00:00Z', 1_769_043_600_000],
    ['2026-01-22 01:00:00.123456 UTC', 1_769_043_600_123],
    ['2026-01-22 01:00:00 (UTC)', 1_769_043_600_000],
    ['2026-01-22T02:00:00+0100', 1_769_043_600_000],
    [1_769_043_600, 1_769_043_600_000],
    [1_769_043_600_000, 1_769_043_600_000],
    [1_769_043_600_000_000, 1_769_043_600_000],
    ['1769043600', 1_769_043_600_000],
    ['yesterday', null],
    ['2026-13-45T99:00:00Z', null],
    [12, null],
    [true, null],
  ]
  for (const [value, at] of times) {
    it(`reads the time ${JSON.stringify(value)} as ${at}`, () => {
      expect(describeJson({ title: 'x', time: value }).occurredAt).to.equal(at)
    })
  }

  it('leaves out invalid IP addresses', () => {
    const event = { eventSource: 'ec2', eventName: 'x', awsRegion: 'eu', sourceIPAddress: 'AWS Internal' }
    expect(describeJson(event).observables).to.deep.equal([])
  })

  it('leaves out an id whose digits JSON numbers cannot hold', () => {
    const alert = { incidentId: 1, incidentName: 'x' }
    expect(describeJson(alert).sourceId).to.equal('1')
    const content = JSON.stringify(alert).replace('1', '92233720368547758071')
    expect(describeAlert({ content }).sourceId).to.equal(null)
  })
})

describe('the description of a hostile alert', () => {
  const nothing = {
    source: null,
    title: null,
    severity: null,
    occurredAt: null,
    sourceId: null,
    observables: [],
  }
  const hostile: readonly [name: string, content: string][] = [
    ['an empty content', ''],
    ['a text', 'hello'],
    ['half of an object', '{"title": "x"'],
    ['a list', '[1, 2]'],
    ['null', 'null'],
    ['a content of 300 KB', JSON.stringify({ title: 'x', rest: 'y'.repeat(300_000) })],
    ['objects nested 5,000 deep', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ]
  for (const [name, content] of hostile) {
    it(`is empty for ${name}`, () => {
      expect(describeAlert({ content })).to.deep.equal(nothing)
    })
  }

  it('ignores fields named like those of prototypes', () => {
    const content = '{"__proto__":{"title":"x"},"constructor":{"name":"y"}}'
    expect(describeAlert({ content })).to.deep.equal(nothing)
  })

  it('keeps a title in one line, without marks that reverse text, and short', () => {
    expect(describeJson({ title: 'a\r\nb\u0000\u202Ec' }).title).to.equal('a b c')
    expect(describeJson({ title: '😀'.repeat(300) }).title).to.have.length(200)
    expect(describeJson({ title: 'ad\u200bmin\u{E0041}\u00ad' }).title).to.equal('admin')
    expect(describeJson({ title: `x${'😀'.repeat(300)}` }).title?.isWellFormed()).to.equal(true)
    const event = { eventSource: 'ec2', eventName: `x${'😀'.repeat(90)}`, awsRegion: 'eu' }
    const userIdentity = { userName: '😀'.repeat(90) }
    expect(describeJson({ ...event, userIdentity }).title?.isWellFormed()).to.equal(true)
  })

  it('has no id that an attacker or another alert can share, and no field that another one shadows', () => {
    const result = { _time: '1769043600', event_id: '4625', user: 'kim' }
    expect(describeJson({ search_name: 'Odd login', sid: 's', result })).to.include({
      occurredAt: 1_769_043_600_000,
      sourceId: null,
    })
    const shadowed = { urgency: 'high', Urgency: 'low', URGENCY: 'low' }
    expect(describeJson({ search_name: 'x', sid: 's', result: shadowed }).severity).to.equal('high')
    const log = { EVENT_TYPE: 'Report', ORGANIZATION_ID: 'o', USER_ID: 'u', REQUEST_ID: 'r' }
    expect(describeJson(log)).to.include({ title: 'Report', sourceId: null })
  })

  it('takes little time for a line with many marks, and for a list of many items', () => {
    const before = threadTime()
    describeAlert({ content: `CEF:0|${'CEF:0|a'.repeat(30_000)}` })
    describeAlert({ content: 'src='.repeat(60_000) })
    describeJson({
      threatId: '1',
      messages: Array.from({ length: 5_000 }, () => ({ abxMessageId: 1, subject: 'x' })),
    })
    expect(threadTime() - before).to.be.below(limitHere(200))
  })
})

describe('the alert sources', () => {
  it('have unique names and titles, and tell their alerts by fields', () => {
    expect(new Set(alertSources.map(({ name }) => name)).size).to.equal(alertSources.length)
    expect(new Set(alertSources.map(({ title }) => title)).size).to.equal(alertSources.length)
    expect(alertSources.filter(({ when }) => Object.keys(when).length === 0)).to.deep.equal([])
  })
})
