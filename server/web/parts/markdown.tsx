import { Component, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { OutsideText } from './text-view.tsx'
import { hostOf, isShownAsIs, linkTarget } from './markdown-links.ts'
import { showInvisible } from './outside-text.ts'
import './markdown.css'

/**
 * Markdown that people wrote, as elements: HTML in it is text, nothing is loaded, and a link shows the host that it leads to. Text that
 * cannot be rendered, such as ten thousand nested quotations, is shown as it is.
 */
export function Markdown({ text }: { readonly text: string }) {
  const shown = showInvisible(text)
  const plain = <OutsideText text={text} />
  if (isShownAsIs(shown)) return plain
  return (
    <OrPlain key={shown} plain={plain}>
      <div className="markdown">
        <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={linkTarget}>
          {shown}
        </ReactMarkdown>
      </div>
    </OrPlain>
  )
}

const plugins = [remarkGfm]

/** Headings of a note are not headings of the page. */
const heading = ({ children }: { readonly children?: ReactNode }) => (
  <p className="markdown-heading">{children}</p>
)

const components: Components = {
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  a({ href, children }) {
    if (href === undefined || href === '') return <>{children}</>
    const host = hostOf(href)
    return (
      <>
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
        {host !== '' && <span className="markdown-host"> ({host})</span>}
      </>
    )
  },
  // Loading an image would tell its server who reads the note.
  img({ src, alt }) {
    return (
      <span className="markdown-host">
        [image{alt === undefined || alt === '' ? '' : ` “${alt}”`}: {src ?? ''}]
      </span>
    )
  },
  input: ({ checked }) => <span aria-hidden>{checked === true ? '☑' : '☐'}</span>,
  table: ({ children }) => (
    <div className="markdown-table" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    <pre role="group" aria-label="Code" tabIndex={0}>
      {children}
    </pre>
  ),
}

/** In a document, headings are headings, and nothing is shortened. */
const documentComponents: Components = {
  ...components,
  h1: ({ children }) => <h1>{children}</h1>,
  h2: ({ children }) => <h2>{children}</h2>,
}

/** A document that the server composed, such as a report: text of others is only in its code. */
export function MarkdownDocument({ text }: { readonly text: string }) {
  return (
    <OrPlain plain={<OutsideText text={text} />}>
      <article className="markdown markdown-document">
        <ReactMarkdown remarkPlugins={plugins} components={documentComponents} urlTransform={linkTarget}>
          {showInvisible(text)}
        </ReactMarkdown>
      </article>
    </OrPlain>
  )
}

interface OrPlainProps {
  readonly plain: ReactNode
  readonly children: ReactNode
}

/** The plain text if rendering fails. React has no hook for that. */
class OrPlain extends Component<OrPlainProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.plain : this.props.children
  }
}
