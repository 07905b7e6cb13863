import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Extension } from '@codemirror/state'
import { nonce } from '../../nonce.ts'

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'light-dark(#0550ae, #79c0ff)' },
  { tag: tags.string, color: 'light-dark(#0a5c2c, #a5d6a7)' },
  { tag: tags.comment, color: 'light-dark(#59636e, #9198a1)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.labelName, tags.typeName], color: 'light-dark(#8250df, #d2a8ff)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'light-dark(#59636e, #9198a1)' },
])

const theme = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: '13px',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(rgb(0 0 0 / 4%), rgb(255 255 255 / 5%))',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#b6e3ff, #1f4d6b) !important',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip': { borderRadius: 'var(--mantine-radius-sm)', boxShadow: 'var(--mantine-shadow-md)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '16em',
    maxWidth: 'min(560px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete.cm-tooltip ul li[aria-selected]': {
    backgroundColor: 'light-dark(#ddf4ff, #1f3a52)',
    color: 'inherit',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    color: 'var(--mantine-color-dimmed)',
    fontFamily: 'var(--mantine-font-family)',
    fontStyle: 'normal',
    fontSize: '12px',
  },
  '.cm-completionIcon': { opacity: '0.7', width: '1.2em' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', maxWidth: '440px' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '560px' },
  '.cm-collapsedLines': {
    background: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    '&:before, &:after': { content: '"…"' },
  },
  '.cm-deletedChunk, .cm-merge-a .cm-changedLine': {
    backgroundColor: 'light-dark(rgb(207 34 46 / 8%), rgb(248 81 73 / 14%))',
  },
  '.cm-changedLine': { backgroundColor: 'light-dark(rgb(26 127 55 / 10%), rgb(63 185 80 / 16%))' },
})

/** How source is shown: in the colours of the page, light or dark, with style elements that the browser takes. */
export const editorLook: Extension = [theme, syntaxHighlighting(colours), EditorView.cspNonce.of(nonce)]
