/** Mathematics: MathML elements from the server's tree. Only what MathML itself needs gets through. */
import type { MathNode } from "../../server/content.ts";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  (
    "math mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup munder mover munderover " +
    "mmultiscripts mprescripts none mtable mtr mtd semantics annotation"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "display displaystyle scriptlevel mathvariant stretchy fence separator accent accentunder lspace rspace minsize maxsize symmetric largeop " +
    "movablelimits form linethickness columnalign rowalign columnspacing rowspacing columnlines rowlines columnspan rowspan width height depth " +
    "voffset notation encoding"
  ).split(" "),
);

/** The formula as nodes; TeX is what a reader gets where the tree is missing. */
export function math(tree: MathNode, tex: string, display: "inline" | "block"): Node {
  const root = node(tree);
  if (!(root instanceof Element)) {
    return document.createTextNode(tex);
  }
  root.setAttribute("display", display);
  root.setAttribute("alttext", tex);
  return root;
}

function node(tree: MathNode): Node | null {
  if (typeof tree === "string") {
    return document.createTextNode(tree);
  }
  if (!ELEMENTS.has(tree.tag)) {
    return null;
  }
  const element = document.createElementNS(MATHML, tree.tag);
  for (const [name, value] of Object.entries(tree.attributes)) {
    if (ATTRIBUTES.has(name)) {
      element.setAttribute(name, value);
    }
  }
  element.append(...tree.children.map(node).filter((child) => child !== null));
  return element;
}
