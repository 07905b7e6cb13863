/** Source of a plugin whose skill `tool.look` reads from the test system: `GET /<id>`. @param rate the source of its rate, if it has one */
export const toolPlugin = (rate = '() => undefined') => `
const connection = {
  title: 'Tool',
  description: 'The other system of the tests.',
  settings: {
    type: 'object',
    required: ['base_url'],
    additionalProperties: false,
    properties: { base_url: { type: 'string' } },
  },
  baseUrl: ({ base_url }) => base_url,
  rate: ${rate},
  authenticate: async () => {},
}
export default {
  name: 'tool',
  title: 'Tool',
  description: 'Reads.',
  connection,
  skills: [
    {
      name: 'look',
      title: 'Look',
      description: 'Reads.',
      effect: 'read',
      connection,
      input: { type: 'object', required: ['id'], additionalProperties: false, properties: { id: { type: 'string' } } },
      output: { type: 'object' },
      examples: [{ title: 'Look', input: { id: 'a' }, output: {} }],
      async run({ id }, { http }) {
        await http.get('/' + id)
        return {}
      },
    },
  ],
}
`

/** A playbook for alerts whose type is its name. @param steps YAML, each beginning with two spaces */
export const playbookOf = (name: string, steps: string): string =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: ${name} } }\nsteps:\n${steps}\n`

/** A step that looks, with the id of the alert; many times one after the other, or a few at a time. */
export const lookStep = (times = 1, concurrency = 1): string =>
  `  - { ${times > 1 ? `foreach: "\${{ lists.range(${times}) }}", max_items: ${times}, concurrency: ${concurrency}, ` : ''}uses: tool.look, connection: tool, with: { id: "\${{ alert.id }}" } }`
