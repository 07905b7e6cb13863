import { createHash } from 'node:crypto'
import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { requestAddress, requestProperties } from '../request.ts'

const { url, path, query, headers } = requestProperties

export const saveFile = defineSkill({
  name: 'save_file',
  title: 'Save File',
  description: 'Fetches a file from a URL, or a path of a connection, and attaches it to a case.',
  effect: 'write',
  repeat: 'safe',
  connection,
  connectionIsOptional: true,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      url,
      path,
      query,
      headers,
      case_id: { type: 'string', description: "Id of the case. Default: the run's case." },
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'Name of the file. Default: the last segment of the address.',
      },
      content_types: {
        type: 'array',
        items: { type: 'string' },
        description: 'Accepted content types, e.g. `application/pdf` or `image/*`. Default: all.',
      },
      max_bytes: { type: 'integer', minimum: 1, maximum: 33_554_432, default: 33_554_432 },
    },
  },
  output: {
    type: 'object',
    required: ['case_id', 'sha256', 'name', 'content_type', 'size'],
    properties: {
      case_id: { type: 'string', description: 'Id of the case with the file.' },
      sha256: { type: 'string', description: 'SHA-256 of the content, hexadecimal.' },
      name: { type: 'string' },
      content_type: { type: 'string', description: 'As the other system says.' },
      size: { type: 'integer', description: 'Bytes.' },
    },
  },
  examples: [
    {
      title: 'The photo of a device',
      input: { path: '/devices/7/photo', content_types: ['image/*'] },
      output: {
        case_id: 'DEMO-1',
        sha256: createHash('sha256').update('a photo').digest('hex'),
        name: 'photo',
        content_type: 'image/png',
        size: 7,
      },
    },
  ],
  async run(input, { http, cases, settings }) {
    const caseId = input.case_id ?? (await cases.own())
    if (caseId === undefined) {
      throw new SkillError('no_case', 'no `case_id` was given, and this run has no case', {
        hint: 'set `case_id`, or open a case with case.create first and pass its `id`',
        effect: 'none',
      })
    }
    const address = requestAddress(input, settings !== undefined)
    const response = await http.get(address, {
      query: input.query ?? {},
      headers: { accept: '*/*', ...input.headers },
      bytes: {
        ...(input.max_bytes !== undefined && { maxBytes: input.max_bytes }),
        ...(input.content_types && { contentTypes: input.content_types }),
      },
    })
    const name = input.name ?? decoded(new URL(response.url).pathname.split('/').at(-1) ?? '')
    const contentType = response.headers['content-type']
    const file = await cases.attachFile(caseId, { name, contentType, bytes: response.bytes })
    const { sha256, size } = file
    return { case_id: caseId, sha256, name: file.name, content_type: file.contentType, size }
  },
})

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
