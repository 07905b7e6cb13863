import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ViewTitle } from './view-title.tsx'

export function NotFound() {
  return (
    <Stack align="flex-start">
      <ViewTitle>There is nothing at this address</ViewTitle>
      <Text>The link may be old, or a letter of it may be missing.</Text>
      <Anchor component={Link} href="/alerts">
        To the alerts
      </Anchor>
    </Stack>
  )
}
