import { Title } from '@mantine/core'

/** The title of a view, in the page and in the tab of the browser. */
export function ViewTitle({ children }: { readonly children: string }) {
  return (
    <>
      <title>{`${children} · Tocsin`}</title>
      <Title order={1} size="h3">
        {children}
      </Title>
    </>
  )
}
