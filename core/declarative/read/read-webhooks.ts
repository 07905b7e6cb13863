import { dyn, map, object, string, type Type } from '../../expression/index.ts'
import { quote } from '../../playbook/language/problem.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import {
  describe,
  readChoice,
  readDuration,
  readFields,
  readText,
  type Fields,
} from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { hmacAlgorithms, hmacEncodings } from '../language/auth-keys.ts'
import type {
  DeclaredCaseChange,
  DeclaredHandshake,
  DeclaredProof,
  DeclaredSecretParameter,
  DeclaredWebhook,
} from '../language/declared-webhook.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { keyEncodings, proofKinds } from '../language/webhook-keys.ts'
import { onlyOneOf } from './read-request.ts'
import {
  readCondition,
  readExpression,
  readShownText,
  readsSecrets,
  readTemplate,
  refuseSecrets,
  type Names,
  type PluginReading,
} from './reading.ts'

const wordPattern = /^[a-z][a-z0-9]{0,49}(-[a-z0-9]{1,50}){0,5}$/
const maxWebhooks = 20
const defaultToleranceMs = 300_000

const requestFields = { method: string, query: map(string), headers: map(string), body: dyn, text: string }
/** Without the address, which contains the token of the connection. */
const requestType: Type = object(requestFields)
const signedType: Type = object({ ...requestFields, url: string })

/** Reads `webhooks`: the last word of an address → a webhook. */
export function readWebhooks(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): readonly DeclaredWebhook[] {
  if (entry === undefined) return []
  const { problems } = reading
  if (entry.value.kind !== 'map') {
    const hint = 'write { <last word of the address>: { verify: …, provider: … } }'
    problems.add('E106', `expected a map for \`webhooks\`, found ${describe(entry.value)}`, entry.value, hint)
    return []
  }
  const { entries } = entry.value
  if (entries.length > maxWebhooks)
    problems.add('E107', `a connection has at most ${maxWebhooks} webhooks`, entry.key)
  return entries.slice(0, maxWebhooks).flatMap((each) => readWebhook(reading, names, each) ?? [])
}

function readWebhook(
  reading: PluginReading,
  names: Names,
  { name, key, value }: Entry,
): DeclaredWebhook | undefined {
  if (!wordPattern.test(name))
    reading.problems.add('E107', `${quote(name)} must be lower-case letters, digits and single hyphens`, key)
  const fields = readFields(reading.problems, value, pluginGrammar.webhook)
  if (fields === undefined) return undefined
  const asked = { ...names, request: requestType }
  const verify = readProof(reading, names, fields.get('verify'))
  const handshake = readHandshake(reading, asked, fields.get('handshake'))
  const eachEntry = fields.get('each')
  const each = eachEntry && readExpression(reading, asked, eachEntry)
  const about = { ...asked, item: dyn }
  const whenEntry = fields.get('when')
  const contentEntry = fields.get('content')
  const content = contentEntry && readTemplate(reading, about, contentEntry.value)
  if (content) refuseSecrets(reading, content, '`content`')
  const provider = readShownText(reading, names, fields.get('provider'))
  const alert = {
    when: whenEntry && readCondition(reading, about, whenEntry),
    type: readShownText(reading, about, fields.get('type')),
    content: content?.template,
    id: readShownText(reading, about, fields.get('id')),
    change: readChange(reading, about, fields.get('case')),
  }
  if (!fields.has('provider') && !fields.has('case'))
    reading.problems.add('E105', 'a webhook needs `provider` for alerts, or `case`', key)
  if (verify === undefined) return undefined
  return { word: name, verify, handshake, each, provider, ...alert }
}

function readChange(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): DeclaredCaseChange | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.webhookCase)
  const reference = readShownText(reading, names, fields?.get('reference'))
  const comment = readShownText(reading, names, fields?.get('comment'))
  const status = readShownText(reading, names, fields?.get('status'))
  return reference && { reference, comment, status }
}

function readProof(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): DeclaredProof | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.webhookProof)
  if (fields === undefined) return undefined
  const kind = onlyOneOf(reading, fields, proofKinds, entry!.value, '`verify` needs one of')
  const toleranceEntry = fields.get('tolerance')
  const age = {
    time: readShownText(reading, { ...names, request: requestType }, fields.get('time')),
    toleranceMs: (toleranceEntry && readDuration(reading.problems, toleranceEntry)) ?? defaultToleranceMs,
  }
  if (kind !== 'hmac') {
    const parameter = kind && readParameter(reading, names, fields)
    return parameter && { ...parameter, ...age }
  }
  const hmac = readFields(reading.problems, fields.get('hmac')!.value, pluginGrammar.webhookHmac)
  return hmac && readHmac(reading, names, hmac, age)
}

function readHmac(
  reading: PluginReading,
  names: Names,
  fields: Fields,
  age: Pick<DeclaredProof, 'time' | 'toleranceMs'>,
): DeclaredProof | undefined {
  const { problems } = reading
  const key = readSecret(reading, names, fields.get('key'))
  const headerEntry = fields.get('header')
  const header = headerEntry && readText(problems, headerEntry)
  const prefixEntry = fields.get('prefix')
  const textEntry = fields.get('text')
  const signed = { ...names, request: signedType }
  const choice = <Word extends string>(name: string, words: readonly Word[]): Word | undefined => {
    const entry = fields.get(name)
    return entry && readChoice(problems, entry, words)
  }
  const rest = {
    prefix: (prefixEntry && readText(problems, prefixEntry)) ?? '',
    text: textEntry && readTemplate(reading, signed, textEntry.value).template,
    algorithm: choice('algorithm', hmacAlgorithms) ?? 'sha256',
    encoding: choice('encoding', hmacEncodings) ?? 'hex',
    keyEncoding: choice('key_encoding', keyEncodings) ?? 'text',
  } as const
  if (key === undefined || header === undefined) return undefined
  return { kind: 'hmac', key, header: header.toLowerCase(), ...rest, ...age }
}

function readParameter(
  reading: PluginReading,
  names: Names,
  fields: Fields,
): DeclaredSecretParameter | undefined {
  const kind = fields.has('header') ? 'header' : 'query'
  const nameEntry = fields.get(kind)!
  const name = readText(reading.problems, nameEntry)
  const valueEntry = fields.get('value')
  if (valueEntry === undefined) {
    const hint = 'write value: "${{ settings.webhook_secret }}"'
    reading.problems.add('E105', `\`${kind}\` needs \`value\``, nameEntry.key, hint)
  }
  const value = readSecret(reading, names, valueEntry)
  return name === undefined || value === undefined
    ? undefined
    : { kind, name: kind === 'header' ? name.toLowerCase() : name, value }
}

/** A value that only the operator and the other system know. */
function readSecret(reading: PluginReading, names: Names, entry: Entry | undefined): Template | undefined {
  if (entry === undefined) return undefined
  const typed = readTemplate(reading, names, entry.value)
  if (!readsSecrets(reading, typed) && !reading.problems.hasErrorIn(entry.value)) {
    const hint = 'declare a field with secret: true, and write "${{ settings.<field> }}"'
    reading.problems.add(
      'E107',
      `\`${entry.name}\` must read a secret field of the connection`,
      entry.value,
      hint,
    )
  }
  return typed.template
}

function readHandshake(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): DeclaredHandshake | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.handshake)
  if (fields === undefined) return undefined
  const answers = ['text', 'json'] as const
  const answer = onlyOneOf(reading, fields, answers, entry!.value, '`handshake` needs one of')
  const whenEntry = fields.get('when')
  const when = whenEntry && readCondition(reading, names, whenEntry)
  const hasProof = fields.has('header') || fields.has('query')
  const proof = hasProof ? readParameter(reading, names, fields) : undefined
  if (answer === undefined) return undefined
  return {
    when,
    isOptional: whenEntry === undefined,
    proof,
    answer,
    value: shown(reading, names, fields.get(answer)!.value),
  }
}

function shown(reading: PluginReading, names: Names, node: Node): Template {
  const typed = readTemplate(reading, names, node)
  refuseSecrets(reading, typed, 'the answer of a handshake')
  return typed.template
}
