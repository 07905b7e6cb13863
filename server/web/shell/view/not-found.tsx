import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ViewTitle } from './view-title.tsx'

export function NotFound() {
  return (
    <Stack align="flex-start">
      <ViewTitle>Page not found</ViewTitle>
      <Text>The link may be old or incomplete.</Text>
      <Anchor component={Link} href="/alerts">
        Go to alerts
      </Anchor>
    </Stack>
  )
}
