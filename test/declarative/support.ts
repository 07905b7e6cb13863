import { expect } from 'chai'
import { compilePlugin, readPlugin } from '../../core/declarative/index.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import type { AnySkill, PluginDefinition } from '../../core/plugin/index.ts'

const indented = (text: string, by: string): string => text.trim().replaceAll(/^/gm, by)

/** A plugin with a connection and one skill, each given as YAML; the rest is as short as possible. */
export const pluginWith = ({
  connection = '',
  skill = '',
}: {
  connection?: string
  skill?: string
}): string => {
  const has = (key: string, text: string) => new RegExp(`^${key}:`, 'm').test(text)
  return `apiVersion: tocsin/v1
plugin: example
title: Example
description: An example.
connection:
${has('base_url', connection) ? '' : '  base_url: https://api.example.com\n'}${has('check', connection) ? '' : '  check: { get: /ping }\n'}${indented(connection, '  ')}
skills:
  - name: get_it
    title: Get it
    description: Gets it.
${has('effect', skill) ? '' : '    effect: read\n'}${has('request', skill) ? '' : '    request: { get: /it }\n'}${has('output', skill) ? '' : '    output: { status: "${{ response.status }}" }\n'}${indented(skill, '    ')}
`
}

/** The plugin of a source without errors. */
export function compiled(source: string): PluginDefinition {
  const { plugin, problems } = readPlugin(source)
  const errors = problems.filter(({ severity }) => severity === 'error')
  expect(errors.map((problem) => formatProblem(problem, source)).join('\n')).to.equal('')
  return compilePlugin(plugin!)
}

export const skillOf = (parts: Parameters<typeof pluginWith>[0]): AnySkill =>
  compiled(pluginWith(parts)).skills[0]!

/** The problems of a source as `line:column code message (hint)`. */
export const saidOf = (source: string): readonly string[] =>
  readPlugin(source)
    .problems.filter(({ code }) => code !== 'W802')
    .map(
      ({ line, column, code, message, hint }) =>
        `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    )
