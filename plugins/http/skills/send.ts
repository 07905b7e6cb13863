import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { answerSchema, request, requestProperties } from '../request.ts'

export const send = defineSkill({
  name: 'send',
  title: 'Send',
  description: 'Sends a request that changes something: POST, PUT, PATCH or DELETE.',
  effect: 'write',
  // Whether a repeated request has another effect depends on the other system, so it is never assumed.
  repeat: 'never',
  connection,
  connectionIsOptional: true,
  input: {
    type: 'object',
    required: ['method'],
    additionalProperties: false,
    properties: {
      method: { enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
      ...requestProperties,
      json: { description: 'The body, sent as application/json. Not together with `text`.' },
      text: { type: 'string', description: 'The body as plain text; set its `content-type` in `headers`.' },
    },
  },
  output: answerSchema,
  examples: [
    {
      title: 'A note on a device',
      input: { method: 'POST', path: '/devices/7/notes', json: { text: 'isolated' } },
      output: {
        status: 201,
        headers: { 'content-type': 'application/json' },
        text: '{"id":1,"text":"isolated"}',
        truncated: false,
        json: { id: 1, text: 'isolated' },
      },
    },
  ],
  async run(input, { http, settings }) {
    if (input.json !== undefined && input.text !== undefined) {
      throw new SkillError('bad_body', 'give either json or text, not both')
    }
    return request(http, settings !== undefined, input, {
      method: input.method,
      json: input.json,
      ...body(input.text),
    })
  },
})

function body(text: string | undefined): { readonly body?: string } {
  return text === undefined ? {} : { body: text }
}
