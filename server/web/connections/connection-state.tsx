import { Badge } from '@mantine/core'
import type { Connection } from './connection.ts'

export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const [text, color] = lookOf(connection)
  return (
    <Badge variant="light" color={color} tt="none" radius="sm" className="state">
      {text}
    </Badge>
  )
}

function lookOf({ enabled, broken, warnings }: Connection): readonly [string, string] {
  if (broken !== null) return ['Broken', 'red']
  if (!enabled) return ['Off', 'gray']
  return warnings.length > 0 ? ['Warning', 'orange'] : ['On', 'green']
}
