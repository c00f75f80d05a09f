# The base image is Node 24 itself, so the runtime that npm would bring is left out of the final image.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json ./dashboard/
RUN npm install --no-audit --no-fund
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
COPY dashboard ./dashboard
COPY docs ./docs
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build && npm prune --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_PORT=4700 SVC_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
RUN ln -s /app/bin/tollbook.mjs /usr/local/bin/tollbook && mkdir --mode=0700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4700
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4700/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tollbook"]
CMD ["serve"]
