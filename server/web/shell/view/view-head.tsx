import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ViewTitle } from './view-title.tsx'

interface ViewHeadProps {
  readonly title: string
  /** Stands before the title, e.g. the id of what it names. */
  readonly id?: string
  /** States, beside the title. */
  readonly states?: ReactNode
  /** One line below the title. */
  readonly about?: ReactNode
  /** What can be done here. */
  readonly actions?: ReactNode
}

/** The head of a view: what it is, how it is, and what can be done. */
export function ViewHead({ title, id, states, about, actions }: ViewHeadProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mih={34}>
      <Box flex="1 1 320px" miw={0}>
        <Group gap="4px 12px">
          <ViewTitle {...(id !== undefined && { id })}>{title}</ViewTitle>
          {states}
        </Group>
        {about !== undefined && (
          <Text component="div" size="sm" c="dimmed" mt={2}>
            {about}
          </Text>
        )}
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
