import { Stack, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'

interface EmptyProps {
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
  readonly children: ReactNode
  /** What can be done about it. */
  readonly action?: ReactNode
}

/** Where there is nothing: that there is nothing, why, and what to do. */
export function Empty({ icon: Icon, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="sm" py={32} px="md" c="dimmed" ta="center">
      {Icon && <Icon width={24} height={24} />}
      <Text size="sm" maw={460} c="dimmed">
        {children}
      </Text>
      {action}
    </Stack>
  )
}
