/** Style elements that libraries make carry the nonce of the response, or the browser would refuse them. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** Where `get-nonce` looks, which the dialogs of the component library ask. */
Object.assign(globalThis, { __webpack_nonce__: nonce })
