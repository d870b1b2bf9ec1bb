import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The page's skeleton: everything else is built from data by its script. */
export function html(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(root, "lesson.js")).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(root, "lesson-style.css")).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource}`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
<title>qkv</title>
</head>
<body>
<div id="lesson"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
