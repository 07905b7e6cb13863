import { defineSkill, SkillError } from 'tocsin/plugin'
import { extractFromJson, extractObservables } from '../extract-observables.ts'
import { extractedKinds, maxPlaces } from '../observables.ts'

const list = (description: string) => ({ type: 'array', items: { type: 'string' }, description }) as const

export const extract = defineSkill({
  name: 'extract',
  title: 'Extract Observables',
  description:
    'Finds addresses, domains, URLs, hashes, e-mail addresses, machines, users and CVE ids in a text or in JSON, defanged ones too.',
  effect: 'read',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      text: {
        type: 'string',
        description: 'Any text; JSON text is parsed. Give this or `json`.',
      },
      json: {
        description: 'Any JSON value; strings that contain JSON are parsed. Give this or `text`.',
      },
      max_per_kind: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 50,
        description: 'Maximum distinct values of each kind; if there are more, `truncated` is true.',
      },
      include_private: {
        type: 'boolean',
        default: false,
        description:
          'Also list addresses that are not routed on the internet (private, loopback, link-local, shared, reserved).',
      },
      own_domains: {
        type: 'array',
        items: { type: 'string', maxLength: 253 },
        maxItems: 1000,
        description: "The organization's own domains: left out with their subdomains and URLs.",
      },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: [...extractedKinds, 'all', 'truncated', 'truncated_at', 'left_out'],
    properties: {
      ip: list('IPv4 in dotted decimal, IPv6 in its shortest form.'),
      domain: list('DNS names under a public suffix, lower case, internationalised ones in punycode.'),
      url: list('http, https and ftp, normalised as browsers do.'),
      hash: list('MD5, SHA-1, SHA-256 and SHA-512, lower case.'),
      email: list('E-mail addresses, lower case.'),
      host: list('Machine names from labelled fields, lower case.'),
      user: list('Account names from labelled fields, as written; e-mail addresses in lower case.'),
      vulnerability: list('CVE ids.'),
      all: {
        type: 'array',
        description:
          'All values of the lists above, in the order of the strings they first appear in; within a string, URLs, e-mail addresses, then the rest.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['kind', 'value', 'places'],
          properties: {
            kind: { type: 'string', enum: extractedKinds },
            value: { type: 'string' },
            places: {
              type: 'array',
              items: { type: 'string' },
              description: `JSON pointers of the strings that contain it, the first ${maxPlaces}; '' is the whole input.`,
            },
          },
        },
      },
      truncated: {
        type: 'boolean',
        description: 'The input was not read in full, or values were dropped: see `truncated_at`.',
      },
      truncated_at: {
        type: 'array',
        items: { type: 'string', enum: [...extractedKinds, 'input', 'depth'] },
        description:
          'Kinds with more values than `max_per_kind`; `input` too large; `depth` too deeply nested.',
      },
      left_out: {
        type: 'integer',
        minimum: 0,
        description: 'Distinct values left out because of `include_private` and `own_domains`.',
      },
    },
  },
  examples: [
    {
      title: 'A defanged report',
      input: { text: 'Beacon to hxxps://cdn.evil[.]example/a.js from 10.0.0.7 (CVE-2021-44228).' },
      output: {
        ip: [],
        domain: ['cdn.evil.example'],
        url: ['https://cdn.evil.example/a.js'],
        hash: [],
        email: [],
        host: [],
        user: [],
        vulnerability: ['CVE-2021-44228'],
        all: [
          { kind: 'url', value: 'https://cdn.evil.example/a.js', places: [''] },
          { kind: 'domain', value: 'cdn.evil.example', places: [''] },
          { kind: 'vulnerability', value: 'CVE-2021-44228', places: [''] },
        ],
        truncated: false,
        truncated_at: [],
        left_out: 1,
      },
    },
    {
      title: 'An alert as JSON',
      input: { json: { computer_name: 'WS-7', user: { name: 'ana' }, src_ip: '203.0.113.9' } },
      output: {
        ip: ['203.0.113.9'],
        domain: [],
        url: [],
        hash: [],
        email: [],
        host: ['ws-7'],
        user: ['ana'],
        vulnerability: [],
        all: [
          { kind: 'host', value: 'ws-7', places: ['/computer_name'] },
          { kind: 'user', value: 'ana', places: ['/user/name'] },
          { kind: 'ip', value: '203.0.113.9', places: ['/src_ip'] },
        ],
        truncated: false,
        truncated_at: [],
        left_out: 0,
      },
    },
  ],
  async run({ text, json, max_per_kind, include_private, own_domains }) {
    if ((text === undefined) === (json === undefined)) {
      throw new SkillError('one_input_needed', 'exactly one of `text` and `json` must be given', {
        hint: 'pass the alert as `json`, or anything else as `text`',
      })
    }
    const options = { maxPerKind: max_per_kind, includePrivate: include_private, ownDomains: own_domains }
    const { all, cut, leftOut, ...lists } =
      text === undefined ? extractFromJson(json, options) : extractObservables(text, options)
    return { ...lists, all, truncated: cut.length > 0, truncated_at: cut, left_out: leftOut }
  },
})
