#!/usr/bin/env bash
# A cluster of kind with LeaderWorkerSet and Flux, and one delivery on it: scripts/quickstart.sh. Needs docker, kind, kubectl,
# git, curl, Node and the network. The repository is fixtures/examples/plain-flux with a small server in place of vLLM.
#   scripts/quickstart.sh           makes the cluster, delivers a release, and goes on watching until Ctrl-C
#   scripts/quickstart.sh files DIR makes the repository alone, in DIR
#   scripts/quickstart.sh release DIR commits the new image in DIR
#   scripts/quickstart.sh remove    deletes the cluster
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
name=tranche-quickstart
lws=v0.10.0
flux=v2.9.5
image=registry.k8s.io/e2e-test-images/agnhost
old=2.52
new=2.53

as_quickstart() { git -c user.name=quickstart -c user.email=quickstart@example.com "$@"; }

# The example, with an image that needs no GPU. Readiness, the route and the rest stay as they are.
files() {
  mkdir -p "$1"
  cp -R "$root/fixtures/examples/plain-flux/." "$1"
  sed -i.before -E \
    -e "s#image: .*#image: $image:$old#" \
    -e 's#args: .*#args: [netexec, --http-port=8000]#' \
    -e '/resources: /d' \
    "$1/apps/vllm/lws.yaml"
  # A quarter of a minute is enough to look at a step here.
  sed -i.before -e 's/duration: 600/duration: 15/' "$1/rollouts/vllm.yaml"
  sed -i.before -e 's/soakSeconds: 60/soakSeconds: 15/' "$1/policies/default.yaml"
  find "$1" -name '*.before' -delete
  git init -q -b main "$1"
  git -C "$1" add .
  as_quickstart -C "$1" commit -qm 'vllm: four groups'
}

release() {
  sed -i.before -e "s#$image:$old#$image:$new#" "$1/apps/vllm/lws.yaml"
  rm "$1/apps/vllm/lws.yaml.before"
  as_quickstart -C "$1" commit -qam "vllm: $old to $new"
}

main() {
  for program in docker kind kubectl git curl node npm; do
    command -v "$program" >/dev/null || { echo "$program is needed, and is not on the PATH" >&2; exit 1; }
  done
  folder="$(mktemp -d)"
  export KUBECONFIG="$folder/kubeconfig"
  tranche() { node "$folder/dist/tranche.js" "$@"; }
  (cd "$root" && npm ci && node scripts/build.mjs "$folder/dist")
  cp "$root/package.json" "$folder"

  kind get clusters | grep -qx "$name" || kind create cluster --name "$name" --wait 120s
  kind export kubeconfig --name "$name"
  kubectl apply --server-side -f "https://github.com/kubernetes-sigs/lws/releases/download/$lws/manifests.yaml"
  kubectl apply --server-side -f "https://github.com/fluxcd/flux2/releases/download/$flux/install.yaml"
  kubectl apply -f "$root/fixtures/quickstart/git-server.yaml"
  kubectl wait --timeout=300s -n lws-system --for=condition=Available deployment --all
  kubectl wait --timeout=300s -n flux-system --for=condition=Available deployment --all

  password="$(node -p 'crypto.randomBytes(12).toString("hex")')"
  kubectl exec -n flux-system deployment/gitea -- gitea admin user create --admin \
    --username quickstart --password "$password" --email quickstart@example.com --must-change-password=false
  kubectl port-forward -n flux-system deployment/gitea 3000:3000 >/dev/null &
  forward=$!
  # shellcheck disable=SC2064 # as they are now
  trap "kill $forward" EXIT
  gitea() {
    curl -sS --retry 20 --retry-connrefused --retry-delay 1 --fail -u "quickstart:$password" \
      -H 'content-type: application/json' -d "$2" "http://127.0.0.1:3000/api/v1/$1"
  }
  gitea user/repos '{"name": "models", "default_branch": "main"}' >/dev/null
  token="$(gitea users/quickstart/tokens '{"name": "tranche", "scopes": ["write:repository"]}' |
    node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).sha1')"
  export TRANCHE_REPO=http://127.0.0.1:3000/quickstart/models.git TRANCHE_GIT_TOKEN="$token"

  files "$folder/models"
  push() { git -C "$folder/models" push -q "http://quickstart:$token@127.0.0.1:3000/quickstart/models.git" HEAD:main; }
  push
  kubectl create namespace llm --dry-run=client -o yaml | kubectl apply -f -
  kubectl apply -f "$root/fixtures/quickstart/source.yaml" -f "$folder/models/clusters/prod/vllm.yaml"
  echo 'waiting for four groups'
  until [ "$(kubectl get lws vllm -n llm -o 'jsonpath={.status.readyReplicas}' 2>/dev/null)" = 4 ]; do sleep 3; done

  tranche lint
  tranche plan
  tranche reconcile
  as_quickstart -C "$folder/models" pull -q "http://127.0.0.1:3000/quickstart/models.git" main
  release "$folder/models"
  push
  echo "A new image is in Git. Where it waits for someone, in another terminal:"
  echo "  export KUBECONFIG=$KUBECONFIG TRANCHE_REPO=$TRANCHE_REPO TRANCHE_GIT_TOKEN=$token"
  echo "  node $folder/dist/tranche.js approve vllm"
  tranche reconcile --watch
}

case "${1:-}" in
  '') main ;;
  files) files "$2" ;;
  release) release "$2" ;;
  remove) kind delete cluster --name "$name" ;;
  *) sed -n '2,8p' "$0" >&2; exit 2 ;;
esac
