import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { groupOf } from '../../core/investigation/group-of.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { alertOf } from './support/alert-of.ts'

const root = join(import.meta.dirname, '../..')
const organization = { uuid: 'o', code: 'main', name: 'Main', revision: 1, createdAt: 0 }

const demo = join(root, 'cli/demo/alerts')
const shown = JSON.parse(readFileSync(join(demo, 'index.json'), 'utf8')) as readonly {
  readonly file: string
  readonly alert_type: string
}[]

function groupingOf(name: string) {
  const { playbook } = parsePlaybook(readFileSync(join(root, `playbooks/${name}.yaml`), 'utf8'))
  return (content: unknown) => {
    const given = groupOf(playbook!, alertOf(content), organization, () => '', {
      windowMs: 3_600_000,
      onError: () => {},
    })
    return given && { print: Buffer.from(given.fingerprint).toString('hex'), windowMs: given.windowMs }
  }
}

const user = { email: 'kim@example.com' }
const travel = { user, ip: '198.51.100.7', country: 'PT', at: '2026-01-22T18:00:00Z', risk: 70 }
const oktaSignIn = { actor: { alternateId: 'kim@example.com' }, client: { ipAddress: '198.51.100.7' } }
const splunk = { result: { src: '203.0.113.77', user: 'kim' } }
const guardDuty = { id: 'f1', severity: 5, service: { count: 1 } }

/** Alerts that count as repeats although their content differs, and alerts that do not. */
const expected = {
  'impossible-travel': {
    first: travel,
    repeats: [{ ...travel, at: '2026-01-22T18:05:00Z', risk: 90 }],
    others: [
      { ...travel, ip: '198.51.100.8' },
      { ...travel, country: 'BR' },
      { ...travel, user: { email: 'bo@example.com' } },
      { ...travel, machine_id: 'm1' },
    ],
    minutes: 60,
  },
  'suspicious-sign-in': {
    first: oktaSignIn,
    repeats: [{ ...oktaSignIn, uuid: 'another' }],
    others: [
      { ...oktaSignIn, actor: { alternateId: 'bo@example.com' } },
      { ...oktaSignIn, client: { ipAddress: '198.51.100.8' } },
      { ...oktaSignIn, debugcontext: { debugData: { suspiciousActivityEventIp: '203.0.113.1' } } },
    ],
    minutes: 30,
  },
  'brute-force': {
    first: splunk,
    repeats: [{ result: { src: '203.0.113.77', user: 'bo' } }],
    others: [{ result: { src: '203.0.113.78', user: 'kim' } }, { ClientIP: '203.0.113.78' }],
    minutes: 60,
  },
  'endpoint-malware': {
    first: { id: 'da1' },
    repeats: [{ id: 'da1', status: 'InProgress' }],
    others: [{ id: 'da2' }],
    minutes: 60,
  },
  'cloud-finding': {
    first: guardDuty,
    repeats: [{ ...guardDuty, service: { count: 7 } }],
    others: [
      { ...guardDuty, id: 'f2' },
      { ...guardDuty, severity: 8 },
    ],
    minutes: 360,
  },
  'vulnerable-machine': {
    first: { host: 'srv-1', finding: 'CVE-2021-44228', at: 1 },
    repeats: [{ host: 'srv-1', finding: 'CVE-2021-44228', at: 2 }],
    others: [
      { host: 'srv-2', finding: 'CVE-2021-44228' },
      { host: 'srv-1', finding: 'CVE-2022-22965' },
    ],
    minutes: 1_440,
  },
} as const

describe('grouping by the shipped playbooks', () => {
  for (const [name, { first, repeats, others, minutes }] of Object.entries(expected)) {
    it(`joins alerts about the same thing: ${name}`, () => {
      const group = groupingOf(name)
      const { print, windowMs } = group(first) ?? expect.fail('it takes no repeats')
      expect(windowMs).to.equal(minutes * 60_000)
      for (const repeat of repeats) expect(group(repeat)?.print, JSON.stringify(repeat)).to.equal(print)
      for (const other of others) expect(group(other)?.print, JSON.stringify(other)).to.not.equal(print)
    })

    it(`joins only identical content without the grouping fields: ${name}`, () => {
      const group = groupingOf(name)
      const odd = ['no JSON', '[]', '7', 'null', '{}', '{"user":7,"result":[],"client":"x","target":{}}']
      for (const content of odd) {
        const [one, again, other] = [group(content), group(content), group(`${content} `)]
        expect(one?.print, content).to.be.a('string').and.to.equal(again?.print)
        expect(other?.print, content).to.not.equal(one?.print)
      }
    })

    it(`joins no alerts of the demo: ${name}`, () => {
      const group = groupingOf(name)
      const type = name.replaceAll('-', '_')
      const files = shown.filter((one) => one.alert_type === type).map(({ file }) => file)
      expect(files.length).to.be.above(1)
      const prints = files.map((file) => group(readFileSync(join(demo, file), 'utf8'))?.print)
      expect(new Set(prints).size).to.equal(files.length)
    })
  }
})
