import { textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { indicatorActions, indicatorTypes } from '../../records/indicator.ts'
import { entity, failure, notFound } from '../answer.ts'
import { recorded } from './fixture.ts'

export interface IndicatorStore {
  list(): readonly JsonObject[]
  /** An upsert by value and type. */
  save(body: unknown, clientId: string): SandboxReply
  delete(id: string): SandboxReply
}

const required = ['indicatorValue', 'indicatorType', 'action', 'title', 'description']
const ipAddress = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]+)$/i

export function indicatorStore(): IndicatorStore {
  const all: JsonObject[] = [...recorded('indicators-list-two'), ...recorded('indicators-list')]
  return {
    list: () => all,
    save(body, clientId) {
      const wrong = whyNot(body)
      if (wrong !== undefined) return wrong
      const same = (one: JsonObject): boolean =>
        ['indicatorValue', 'indicatorType'].every((key) => textAt(one, key) === textAt(body, key))
      const at = all.findIndex(same)
      const time = '2026-01-12T08:01:00.0000000Z'
      const known = all[at] ?? {
        id: String(1001 + all.length - 3),
        application: textAt(body, 'application'),
        source: 'Tocsin sandbox',
        sourceType: 'AadApp',
        creationTimeDateTimeUtc: time,
        createdBy: clientId,
        rbacGroupNames: [],
      }
      const { application } = known as { application?: unknown }
      const saved = { ...known, ...(body as object), application, lastUpdateTime: time }
      if (at === -1) all.push(saved)
      else all[at] = saved
      return entity('Indicators', saved)
    },
    delete(id) {
      const at = all.findIndex((one) => one['id'] === id)
      if (at === -1) return notFound(`Indicator ${id}`)
      all.splice(at, 1)
      return { status: 204 }
    },
  }
}

function whyNot(body: unknown): SandboxReply | undefined {
  const missing = required.find((name) => textAt(body, name) === null)
  if (missing !== undefined)
    return failure(400, 'MissingRequiredParameter', `Parameter ${missing} is missing`)
  const value = textAt(body, 'indicatorValue') ?? ''
  const type = textAt(body, 'indicatorType')
  const isKnown = indicatorTypes.some((one) => one === type)
  const isAction = indicatorActions.some((one) => one === textAt(body, 'action'))
  if (!isKnown || !isAction) return failure(400, 'InvalidInput', 'Invalid input: indicatorType or action')
  if (type === 'IpAddress' && !ipAddress.test(value)) {
    return failure(400, 'InvalidIpAddress', `IP address ${value} is invalid`)
  }
  if (textAt(body, 'action') === 'Audit' && valueAt(body, 'generateAlert') !== true) {
    return failure(400, 'InvalidInput', 'generateAlert must be true with Audit')
  }
  return undefined
}
