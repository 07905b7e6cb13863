import { definePlugin, defineSkill, type PluginDefinition } from 'tocsin/plugin'

const countWords = defineSkill({
  name: 'count_words',
  title: 'Count Words',
  description: 'Counts the words of a text.',
  effect: 'read',
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string', description: 'Any text, for example from an alert.' } },
  },
  output: { type: 'object', required: ['words'], properties: { words: { type: 'integer' } } },
  examples: [{ title: 'Two words', input: { text: 'ring it' }, output: { words: 2 } }],
  async run({ text }) {
    return { words: text.split(/\s+/).filter((word) => word !== '').length }
  },
})

const plugin: PluginDefinition = definePlugin({
  name: 'example_plugin',
  title: 'Example Plugin',
  description: 'Functions for text.',
  skills: [countWords],
})

export default plugin
