import { Box, Group, Paper, Text, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import './section.css'

interface SectionProps {
  readonly title: string
  /** How many there are. */
  readonly count?: number
  /** What can be done here: at the end of the title's line. */
  readonly actions?: ReactNode
  /** Tables and the like reach from edge to edge. */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

/** A part of a view: a card under its title. */
export function Section({ title, count, actions, isFlush = false, children }: SectionProps) {
  const id = useId()
  return (
    <Paper withBorder component="section" aria-labelledby={id} className="section">
      <Group className="section-head" justify="space-between" gap="sm">
        <Group gap={8} align="baseline">
          <Title order={2} id={id}>
            {title}
          </Title>
          {count !== undefined && (
            <Text size="sm" c="dimmed" className="number">
              {count.toLocaleString()}
            </Text>
          )}
        </Group>
        {actions}
      </Group>
      <Box className={isFlush ? 'section-flush' : 'section-body'}>{children}</Box>
    </Paper>
  )
}
