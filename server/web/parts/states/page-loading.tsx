import { Group, Skeleton, Stack } from '@mantine/core'

/** The form of a page that is on its way: title, then what stands below it. */
export function PageLoading() {
  return (
    <Stack gap="var(--tocsin-gap)" role="status" aria-label="Loading">
      <Skeleton h={34} w="min(420px, 60%)" />
      <Group align="flex-start" gap="var(--tocsin-gap)">
        <Skeleton h={360} flex="3 1 360px" radius="md" />
        <Skeleton h={360} flex="2 1 260px" radius="md" />
      </Group>
    </Stack>
  )
}
