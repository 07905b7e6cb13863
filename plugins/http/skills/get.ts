import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { answerSchema, request, requestProperties } from '../request.ts'

export const get = defineSkill({
  name: 'get',
  title: 'Get',
  description: 'Fetches a URL, or a path of a connection.',
  effect: 'read',
  connection,
  connectionIsOptional: true,
  input: { type: 'object', additionalProperties: false, properties: requestProperties },
  output: answerSchema,
  examples: [
    {
      title: 'One device of an inventory',
      input: { path: '/devices/7', query: { verbose: true } },
      output: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        text: '{"id":"7","owner":"ada"}',
        truncated: false,
        json: { id: '7', owner: 'ada' },
      },
    },
  ],
  async run(input, { http, settings }) {
    return request(http, settings !== undefined, input, { method: 'GET' })
  },
})
