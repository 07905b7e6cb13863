import { phrases, shapes, type MapDeclaration } from '../../playbook/language/key-table.ts'
import { caseStatuses } from '../../plugin/index.ts'
import { hmacAlgorithms, hmacEncodings } from './auth-keys.ts'

const { reference, text, map, condition } = shapes
const { choices } = phrases

/** How a request proves its sender. */
export const proofKinds = ['hmac', 'header', 'query'] as const

export const keyEncodings = ['text', 'base64'] as const

const secretValue = { meaning: 'the expected value; reads a secret field', schema: text } as const

/** The keys of webhooks; see `plugin-keys.ts`. */
export const webhookMaps = {
  webhook: {
    what: 'a webhook',
    description: 'Receives alerts and changes of cases from the other system.',
    keys: {
      verify: { meaning: 'how the sender proves itself', schema: reference('webhook_proof') },
      handshake: {
        meaning: 'the challenge by which the other system tests the address',
        default: 'none; GET is refused',
        schema: reference('handshake'),
      },
      each: {
        meaning: 'the list in `request` with an `item` for each alert, at most 1,000',
        default: 'the body is one `item`',
        schema: text,
      },
      when: {
        meaning: 'a condition over `item`: the others are left out',
        default: 'every item is an alert',
        schema: condition,
      },
      provider: {
        meaning: 'the code of a provider of the server; may read `settings`, not the request',
        default: 'no item is an alert: see `case`',
        schema: text,
      },
      type: {
        meaning: 'the type of the alert, which chooses the playbook',
        default: 'the alert is stored and not investigated',
        schema: text,
      },
      content: {
        meaning: 'the content of the alert: a text, or a value that becomes JSON',
        default: 'the `item` as JSON',
        schema: reference('value'),
      },
      id: {
        meaning: 'the id of the alert: another with the same id is not stored again for a day',
        default: 'the content',
        schema: text,
      },
      case: {
        meaning: 'the change of a case that an item means, at most 100',
        default: 'no case changes',
        schema: reference('webhook_case'),
      },
    },
    required: ['verify'],
  },
  webhookCase: {
    what: '`case`',
    description: 'The change of a case.',
    keys: {
      reference: {
        meaning: 'the reference with which a playbook opened the case; without such a case, nothing changes',
        schema: text,
      },
      comment: { meaning: 'a note for the timeline', default: 'none', schema: text },
      status: {
        meaning: `the new status: ${choices(caseStatuses)}; others are ignored`,
        default: 'unchanged',
        schema: text,
      },
    },
    required: ['reference'],
  },
  webhookProof: {
    what: '`verify`',
    description: `How a request proves its sender, with exactly one of ${proofKinds.join(', ')}.`,
    rules: { oneOf: proofKinds.map((kind) => ({ type: 'object', required: [kind] })) },
    keys: {
      hmac: { meaning: 'a signature with a shared key', schema: reference('webhook_hmac') },
      header: { meaning: 'the name of a header that must equal `value`', schema: text },
      query: {
        meaning: 'the name of a query parameter that must equal `value`; a header is better',
        schema: text,
      },
      value: { ...secretValue, with: ['header', 'query'] },
      time: {
        meaning:
          'the time of the request in `request`: seconds, milliseconds or ISO 8601. It must be part of what is signed',
        default: 'requests of any age are accepted; `id` recognizes repeats',
        schema: text,
      },
      tolerance: {
        meaning: 'how far `time` may be from now',
        default: '`5m`',
        schema: reference('duration'),
        with: ['time'],
      },
    },
  },
  webhookHmac: {
    what: '`hmac` of a webhook',
    description: 'A signature of the request with a shared key.',
    keys: {
      key: { meaning: 'the signing secret; reads a secret field', schema: text },
      header: { meaning: 'the header with the signature', schema: text },
      prefix: {
        meaning:
          'what precedes the signature in the header, such as `sha256=`. If the header has several parts, separated by commas or spaces, those with the prefix count',
        default: 'none',
        schema: text,
      },
      text: {
        meaning: 'the signed text; reads `request`, also `request.url`',
        default: 'the body',
        schema: text,
      },
      algorithm: {
        meaning: choices(hmacAlgorithms),
        default: '`sha256`',
        schema: { enum: hmacAlgorithms },
      },
      encoding: {
        meaning: `of the signature: ${choices(hmacEncodings)}`,
        default: '`hex`',
        schema: { enum: hmacEncodings },
      },
      key_encoding: {
        meaning: `\`base64\` if the key is the bytes that the secret encodes: ${choices(keyEncodings)}`,
        default: '`text`',
        schema: { enum: keyEncodings },
      },
    },
    required: ['key', 'header'],
  },
  handshake: {
    what: '`handshake`',
    description: 'Answers the test of an address. It has no other effect.',
    keys: {
      when: {
        meaning: 'a condition over `request`, required to answer a POST',
        default: 'every GET and no POST is a handshake',
        schema: condition,
      },
      header: { meaning: 'the name of a header that must equal `value`', default: 'none', schema: text },
      query: {
        meaning: 'the name of a query parameter that must equal `value`',
        default: 'none',
        schema: text,
      },
      value: { ...secretValue, with: ['header', 'query'] },
      text: { meaning: 'the answer as text, such as the challenge in `request`', schema: text },
      json: { meaning: 'the answer as JSON, instead of `text`', schema: map },
    },
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
