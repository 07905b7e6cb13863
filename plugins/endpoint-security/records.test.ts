import { expect } from 'chai'
import type { JsonObject } from 'tocsin/plugin'
import { decodeRecord } from './lists/decode.ts'
import { decodeAlert } from './records/alert.ts'
import { decodeIndicator } from './records/indicator.ts'
import { decodeLogonUser } from './records/logon-user.ts'
import { decodeMachineAction } from './records/machine-action.ts'
import { decodeMachine } from './records/machine.ts'
import { decodeRecommendation } from './records/recommendation.ts'
import { decodeMachineVulnerability, decodeVulnerability } from './records/vulnerability.ts'
import { recordSchema, nullableText, texts } from './lists/shapes.ts'
import { endpointFixture, recorded } from './sandbox/data/fixture.ts'

type Decoder = (value: unknown) => object

const single: Readonly<Record<string, Decoder>> = {
  'alert-get': decodeAlert,
  'alert-update-response': decodeAlert,
  'indicator-create-response': decodeIndicator,
  'live-response-created': decodeMachineAction,
  'machine-action-av-scan': decodeMachineAction,
  'machine-action-collect-package': decodeMachineAction,
  'machine-action-isolate': decodeMachineAction,
  'machine-action-isolate-selective': decodeMachineAction,
  'machine-action-poll-succeeded': decodeMachineAction,
  'machine-action-stop-quarantine': decodeMachineAction,
  'machine-action-unisolate': decodeMachineAction,
  'machine-get': decodeMachine,
}

const lists: Readonly<Record<string, Decoder>> = {
  'alerts-list-expand-evidence': decodeAlert,
  'indicators-list': decodeIndicator,
  'indicators-list-two': decodeIndicator,
  'machine-actions-list': decodeMachineAction,
  'machine-logon-users': decodeLogonUser,
  'machine-lookup-first': decodeMachine,
  'machines-list': decodeMachine,
  'machines-list-empty': decodeMachine,
  'machines-list-with-ip-addresses': decodeMachine,
  'machines-vulnerabilities': decodeMachineVulnerability,
  'recommendations-for-machine': decodeRecommendation,
  'recommendations-list': decodeRecommendation,
  'related-machines': decodeMachine,
  'vulnerabilities-for-machine': decodeVulnerability,
  'vulnerabilities-list': decodeVulnerability,
}

/** Without annotations, which are not part of a record, and with the one number converted to a string. */
const fieldsOf = (value: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(value as JsonObject)
      .filter(([key]) => !key.startsWith('@odata.'))
      .map(([key, field]) => [
        key,
        key === 'investigationId' && typeof field === 'number' ? String(field) : field,
      ]),
  )

describe('the records of endpoint_security', () => {
  for (const [name, decoder] of Object.entries(single)) {
    it(`keep every field of the recorded ${name}`, () => {
      const value = fieldsOf(endpointFixture(name))
      expect(decoder(value)).to.deep.include(value)
    })
  }

  for (const [name, decoder] of Object.entries(lists)) {
    it(`keep every field of the recorded ${name}`, () => {
      const records = recorded(name)
      if (name !== 'machines-list-empty') expect(records).to.not.have.length(0)
      for (const value of records) expect(decoder(value)).to.deep.include(value)
    })
  }

  it('have null or an empty list for fields that an older tenant omits', () => {
    const { relatedUser, comments, loggedOnUsers, mitreTechniques, detectorId } = decodeAlert(
      endpointFixture('alert-update-response'),
    )
    expect({ relatedUser, comments, loggedOnUsers, mitreTechniques, detectorId }).to.deep.equal({
      relatedUser: null,
      comments: [],
      loggedOnUsers: [],
      mitreTechniques: [],
      detectorId: null,
    })
  })

  it('keep the vendor’s words for unknown values', () => {
    expect(decodeAlert({ id: 'a' })).to.include({ title: '', severity: 'UnSpecified', status: 'Unknown' })
    expect(decodeMachine({ id: 'a' })).to.include({ healthStatus: 'Unknown', riskScore: null })
  })

  it('keep legacy fields of older tenants, and read their category null as none', () => {
    const old = { id: 'a', category: 'null', alertUser: { userName: 'kim' }, alertFiles: [{ sha1: '0f' }] }
    expect(decodeAlert(old)).to.deep.include({
      alertUser: old.alertUser,
      alertFiles: old.alertFiles,
      category: null,
    })
  })

  it('return the investigation number as a string', () => {
    expect(decodeAlert({ id: 'a', investigationId: 723156 }).investigationId).to.equal('723156')
    expect(decodeAlert({ id: 'a', investigationId: 'x-1' }).investigationId).to.equal('x-1')
  })

  it('keep all seven digits of a time', () => {
    const [alert] = recorded('alerts-list-expand-evidence')
    expect(decodeAlert(alert).alertCreationTime).to.equal('2021-01-26T20:33:57.7220239Z')
  })

  it('read the time of the last update under its name in lists', () => {
    const [action] = recorded('machine-actions-list')
    expect(decodeMachineAction(action).lastUpdateDateTimeUtc).to.equal('2018-12-04T12:45:25.4049122Z')
  })

  it('keep fields with dangerous names as plain data', () => {
    const value: unknown = JSON.parse('{"id":"a","__proto__":{"polluted":1},"constructor":"c"}')
    const alert = decodeAlert(value)
    expect(Object.keys(alert)).to.include.members(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(alert)).to.equal(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
  })

  it('keep values of an unexpected type', () => {
    const schema = recordSchema({ id: { type: 'string' }, owner: nullableText, tags: texts })
    expect(decodeRecord(schema, { id: 995, owner: { name: 'kim' }, tags: 'one' }, 'thing')).to.deep.equal({
      id: '995',
      owner: '{"name":"kim"}',
      tags: ['one'],
    })
  })

  it('keep values that do not fit their field', () => {
    const odd = { id: 'a', incidentId: 'N/A', relatedUser: 'kim', status: 7 }
    const alert = decodeAlert(odd)
    expect(alert).to.deep.include({ incidentId: null, relatedUser: null, status: '7' })
    expect(alert).to.have.deep.property('unreadable', { incidentId: 'N/A', relatedUser: 'kim' })
    expect(decodeAlert({ id: 'a', incidentId: '7', relatedUser: null })).not.to.have.property('unreadable')
  })

  it('keep list elements that are not records', () => {
    const [only, text] = decodeAlert({ id: 'a', evidence: [{ url: 'x' }, 'a text', null] }).evidence
    expect(only).to.include({ url: 'x' })
    expect(text).to.include({ url: null, unreadable: 'a text' })
    expect(decodeAlert({ id: 'a', evidence: [{ url: 'x' }, 'a text', null] }).evidence).to.have.length(2)
  })

  for (const value of [null, 'text', [], { title: 'without an id' }, { id: null }]) {
    it(`reject ${JSON.stringify(value)}`, () => {
      expect(() => decodeAlert(value))
        .to.throw(/alert/)
        .with.property('code', 'bad_response')
    })
  }
})
